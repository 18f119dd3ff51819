import { splitExtension } from '#shared/filenames.ts'
import { heavyBytes, screenDensity, smallBytes, veryHeavyBytes } from './limits.ts'

/** From the most to the least urgent. */
export const problems = [
  'very-heavy',
  'too-large',
  'no-alt',
  'heavy',
  'old-format',
  'file-name-alt',
  'not-lazy',
  'no-dimensions',
  'bad-name',
] as const
export type Problem = (typeof problems)[number]

export const problemNames: Record<Problem, string> = {
  'very-heavy': 'Heavier than 500 KB',
  'too-large': 'Larger than shown',
  'no-alt': 'No alt text',
  heavy: 'Heavier than 200 KB',
  'old-format': 'Old format',
  'file-name-alt': 'File name as alt text',
  'not-lazy': 'Not lazy',
  'no-dimensions': 'No width or height',
  'bad-name': 'Bad file name',
}

const weights: Record<Problem, number> = {
  'very-heavy': 8,
  'too-large': 4,
  'no-alt': 4,
  heavy: 3,
  'old-format': 2,
  'file-name-alt': 2,
  'not-lazy': 1,
  'no-dimensions': 1,
  'bad-name': 1,
}

/** What is known about one picture of a page. */
export type PictureFacts = {
  fileName: string
  /** Null when the element has none; empty for decoration. */
  alt: string | null
  isBackground: boolean
  format: string | null
  bytes: number | null
  width: number | null
  shownWidth: number | null
  hasDimensions: boolean
  isLazy: boolean
  /** The number of the element among those of the page. */
  order: number
  /** From the top of a rendered page. */
  top: number | null
}

const checks: Record<Problem, (picture: PictureFacts) => boolean> = {
  'very-heavy': ({ bytes }) => (bytes ?? 0) > veryHeavyBytes,
  heavy: ({ bytes }) => (bytes ?? 0) > heavyBytes && bytes! <= veryHeavyBytes,
  'too-large': ({ width, shownWidth }) => shownWidth !== null && (width ?? 0) > 1.1 * screenDensity * shownWidth,
  'old-format': ({ format, bytes }) => isOldFormat(format) && (bytes ?? Infinity) >= smallBytes,
  'no-alt': ({ alt, isBackground }) => alt === null && !isBackground,
  'file-name-alt': ({ alt, fileName }) => alt !== null && isFileName(alt, fileName),
  'not-lazy': (picture) => !picture.isLazy && !picture.isBackground && isBelowFold(picture),
  'no-dimensions': ({ hasDimensions, isBackground }) => !hasDimensions && !isBackground,
  'bad-name': ({ fileName }) => isBadName(fileName),
}

export const problemsOf = (picture: PictureFacts): Problem[] => problems.filter((problem) => checks[problem](picture))

/** Orders pictures from the worst. */
export const weightOf = (found: readonly Problem[]) => found.reduce((sum, problem) => sum + weights[problem], 0)

const isOldFormat = (format: string | null) => format !== null && ['jpeg', 'png', 'gif', 'bmp'].includes(format)

const screenHeight = 1600
/** Without a rendered page, the first elements count as visible at once. */
const firstOnes = 6

const isBelowFold = ({ top, order }: PictureFacts) => (top === null ? order >= firstOnes : top > screenHeight)

const pictureEnding = /\.(?:jpe?g|png|gif|webp|avif|bmp|svg|tiff?)$/i
const namedByCamera = /^(?:img|dsc[nf]?|pxl|mvi|gopr|p|dcim|image|photo|picture|screenshot|bild|foto)[-_ ]*\d[-_ \d]*$/i

function isFileName(alt: string, fileName: string): boolean {
  const text = alt.trim()
  if (pictureEnding.test(text) || namedByCamera.test(text)) return true
  // "red-boat" was copied from the file; "Boat" may well be what a person wrote for boat.jpg.
  const isStem = text.toLowerCase() === splitExtension(fileName).stem.toLowerCase()
  return isStem && /[-_\d]/.test(text) && !/\s/.test(text)
}

/** Says nothing to a search engine: spaces, a camera's number, or no word besides a hash. */
function isBadName(fileName: string): boolean {
  const { stem } = splitExtension(fileName)
  if (/\s/.test(stem) || namedByCamera.test(stem)) return true
  return !stem.split(/[^\p{L}\p{N}]+/u).some((part) => /\p{L}{3}/u.test(part) && !isHash(part))
}

const isHash = (part: string) =>
  /^(?=.*\d)[0-9a-f]{8,}$/i.test(part) || (part.length >= 16 && /\d.*\p{L}.*\d/u.test(part))
