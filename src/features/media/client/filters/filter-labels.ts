import type { FilterName, SearchFilter } from '../../search-query.ts'

export const filterLabels: Record<FilterName, string> = {
  type: 'Type',
  tag: 'Tag',
  in: 'Collection',
  website: 'Website',
  taken: 'Date taken',
  added: 'Date added',
  size: 'Size',
  width: 'Width',
  shape: 'Shape',
  format: 'Format',
  color: 'Color',
  camera: 'Camera',
  place: 'Place',
  is: 'Status',
}

const valueLabels: Record<string, string> = {
  image: 'Images',
  video: 'Videos',
  undescribed: 'Not described',
  noalt: 'No alt text',
  duplicate: 'Possible duplicate',
  inbox: 'In no collection',
}

/** Values of these are clear without their name. */
const nameless = new Set<FilterName>(['type', 'is'])
const acronyms = new Set<FilterName>(['format'])

/** A value of a filter with a fixed list, as the interface names it. */
export function valueLabel(name: FilterName, value: string) {
  if (acronyms.has(name)) return value === 'webp' ? 'WebP' : value.toUpperCase()
  return valueLabels[value] ?? value.charAt(0).toUpperCase() + value.slice(1)
}

const listed = new Set<FilterName>(['type', 'shape', 'format', 'color', 'is'])

/** A filter in words, such as "Tag: beach" or "Not Favorite". */
export function filterLabel({ name, value, isExcluded }: SearchFilter) {
  const shown = listed.has(name) ? valueLabel(name, value) : value
  return `${isExcluded ? 'Not ' : ''}${nameless.has(name) ? shown : `${filterLabels[name]}: ${shown}`}`
}
