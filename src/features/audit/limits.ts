/** Separate from the contract, so that the browser loads it without the schemas. */
export const maxPages = 50
/** Of one page; further ones are counted, but not checked. */
export const maxPicturesPerPage = 300
/** Chosen at once, since each is fetched and converted several times. */
export const maxChosen = 200

export const heavyBytes = 200 * 1024
export const veryHeavyBytes = 500 * 1024
/** Below this, another format would save next to nothing. */
export const smallBytes = 10 * 1024
/** Dense screens show two dots per CSS pixel. */
export const screenDensity = 2

export const formatNames: Record<string, string> = {
  jpeg: 'JPEG',
  png: 'PNG',
  gif: 'GIF',
  bmp: 'BMP',
  webp: 'WebP',
  avif: 'AVIF',
}

export const newFormats = ['webp', 'avif'] as const
export type NewFormat = (typeof newFormats)[number]
