/** Longer names of uploaded files are truncated; longer names that a user types are refused. */
export const maxFilenameLength = 200
/** File systems take 255 bytes; a number that makes a name unique in a ZIP file fits behind it. */
const maxFilenameBytes = 240

/** "photo.final.JPG" is "photo.final" and ".JPG"; a name that only begins with a dot has no extension. */
export function splitExtension(filename: string): { stem: string; extension: string } {
  const match = /^(.+)(\.[\p{L}\p{N}]{1,10})$/su.exec(filename)
  return match ? { stem: match[1]!, extension: match[2]! } : { stem: filename, extension: '' }
}

/** Returns the new name with the old extension, because renaming never changes the file type. */
export function keepExtension(newName: string, oldName: string) {
  const { extension } = splitExtension(oldName)
  if (!extension || newName.toLowerCase().endsWith(extension.toLowerCase())) return newName
  return newName + extension
}

const fallback = 'file'

/** Control, format, private and halved characters; the joiners that hold words and emoji families together stay. */
const invisible = /[[\p{Cc}\p{Cf}\p{Co}\p{Cs}]--[\u{200c}\u{200d}\u{e0020}-\u{e007f}]]/gv
/** Only this many characters are processed, so that a name of 80 kB costs no more than a short one. */
const longestRead = 5 * maxFilenameLength
const reservedByWindows = /^(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i

/**
 * A name that is safe to show and to download under on any system: no path parts, control or direction-changing
 * characters, nothing that Windows reserves. It is a label and never becomes a path of ours.
 * `ending` is put before the extension and stays whole, however long the name is.
 */
export function safeFilename(name: string, ending = '') {
  const cleaned = name
    .slice(-longestRead)
    .replace(/[^\S\ufeff]/g, ' ')
    .replace(invisible, '')
    // Removing invisible characters can bring spaces together.
    .replace(/ +/g, ' ')
    .normalize('NFC')
    .replace(/^.*[\\/]/s, '')
    .replace(/[<>:"|?*]/g, '_')
    .replace(/^[\s.]+|(?<![\s.])[\s.]+$/g, '')
  const { stem, extension } = splitExtension(cleaned || fallback)
  const safeStem = stem.replace(reservedByWindows, '$1_')
  return truncate(safeStem, ending + extension) + ending + extension
}

/** `safeFilename` for a name that a user typed, where a slash is not a path separator. */
export const safeTypedName = (name: string, ending = '') => safeFilename(name.replace(/[\\/]/g, '_'), ending)

const bytesIn = (text: string) => new TextEncoder().encode(text).length

/** Leaves room for the ending. Never cuts a character in two, as `slice` would with an emoji. */
function truncate(text: string, ending: string) {
  let charactersLeft = maxFilenameLength - ending.length
  let bytesLeft = maxFilenameBytes - bytesIn(ending)
  if (text.length <= charactersLeft && bytesIn(text) <= bytesLeft) return text
  let result = ''
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    charactersLeft -= segment.length
    bytesLeft -= bytesIn(segment)
    if (charactersLeft < 0 || bytesLeft < 0) break
    result += segment
  }
  return result.replace(/[\s.]+$/, '') || fallback
}

/** Adds a number to a name that is already taken. */
type AddNumber = (name: string, count: number) => string

const addNumberInBrackets: AddNumber = (name, count) => {
  const { stem, extension } = splitExtension(name)
  return `${stem} (${count})${extension}`
}

/** Returns a function that makes each name unique: "beach.jpg", then "beach (2).jpg". */
export function uniqueNames(addNumber = addNumberInBrackets) {
  const taken = new Set<string>()
  /** The last number used for each name, so that 10,000 equal names do not each count from 1. */
  const counts = new Map<string, number>()
  return (wanted: string) => {
    const key = wanted.toLowerCase()
    let name = wanted
    let count = counts.get(key) ?? 1
    while (taken.has(name.toLowerCase())) name = addNumber(wanted, ++count)
    counts.set(key, count)
    taken.add(name.toLowerCase())
    return name
  }
}
