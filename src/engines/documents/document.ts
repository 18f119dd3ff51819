import { countOf } from '#shared/count.ts'

/** One item of an exported document: what a person would want to know about it on paper. */
export type DocumentItem = {
  name: string
  /** A small JPEG, when the item has a picture that can be shown. */
  thumbnail: { data: Uint8Array; width: number; height: number } | null
  size: string
  dimensions: string
  description: string
  aiDescription: string
  tags: string[]
  publicUrl: string
  /** Where anybody finds the small picture, for documents that hold only words; empty while the item is not public. */
  thumbnailUrl: string
}

/** A long screenshot, drawn as wide as the others, would run off the page: it becomes narrower instead. */
const highestShape = 3

export function sizeOnPage({ width, height }: { width: number; height: number }, usualWidth: number) {
  const scale = Math.min(usualWidth / width, (usualWidth * highestShape) / height)
  return { width: width * scale, height: height * scale }
}

export type DocumentFacts = { title: string; createdAt: string; count: number }

export const summaryOf = ({ count, createdAt }: DocumentFacts) => `${countOf(count, 'item')}, ${createdAt}`

export const columns = [
  'Name',
  'Size',
  'Dimensions',
  'Description',
  'AI description',
  'Tags',
  'Public URL',
  'Thumbnail',
] as const

export function cellsOf(item: DocumentItem): string[] {
  return [
    item.name,
    item.size,
    item.dimensions,
    item.description,
    item.aiDescription,
    item.tags.join(', '),
    item.publicUrl,
    item.thumbnailUrl,
  ]
}
