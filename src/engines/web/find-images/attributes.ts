/** The attributes of a start tag, names in lower case, each name once. */
export type Attributes = ReadonlyArray<{ name: string; value: string }>

export function attributeOf(attributes: Attributes, name: string): string | undefined {
  return attributes.find((attribute) => attribute.name === name)?.value
}

export function classesOf(attributes: Attributes): string[] {
  const value = attributeOf(attributes, 'class')
  return value ? value.slice(0, 500).toLowerCase().split(/\s+/) : []
}

const maxTextLength = 300

/** Text of a page as one short line. */
export function toLine(text: string | undefined): string {
  return (text ?? '')
    .slice(0, 4 * maxTextLength)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, maxTextLength)
    .replace(/[\ud800-\udbff]$/, '')
    .trim()
}

/** The same, or nothing at all. */
export function toLineIfAny(text: string | undefined): string | undefined {
  return toLine(text) || undefined
}

/** A length in pixels as attributes and metadata write it: `640`, `640px`, 640. */
export function toPixels(value: unknown): number | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const digits = /^\s*(\d{1,5})(?:\.\d+)?\s*(?:px)?\s*$/.exec(String(value).slice(0, 20))?.[1]
  return digits ? Number(digits) : undefined
}
