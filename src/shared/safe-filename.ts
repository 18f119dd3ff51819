import { maxFilenameLength, splitExtension } from './filename.ts'

const fallback = 'file'

/** Control, format, private and halved characters; the joiners that hold words and emoji families together stay. */
const invisible = /[[\p{Cc}\p{Cf}\p{Co}\p{Cs}]--[\u{200c}\u{200d}\u{e0020}-\u{e007f}]]/gv
/** Five times what is kept; whatever is done with a name costs as little as this, also when it came with 80 kB. */
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
    // What stood apart because of something invisible is together now.
    .replace(/ +/g, ' ')
    .normalize('NFC')
    .replace(/^.*[\\/]/s, '')
    .replace(/[<>:"|?*]/g, '_')
    .replace(/^[\s.]+|(?<![\s.])[\s.]+$/g, '')
  const { stem, extension } = splitExtension(cleaned || fallback)
  const safeStem = stem.replace(reservedByWindows, '$1_')
  return truncate(safeStem, maxFilenameLength - ending.length - extension.length) + ending + extension
}

/** The same of what a person has typed, who means no path by a slash. */
export const safeTypedName = (name: string, ending = '') => safeFilename(name.replace(/[\\/]/g, '_'), ending)

/** Never cuts a character in two, as `slice` would with an emoji. */
function truncate(text: string, length: number) {
  if (text.length <= length) return text
  let result = ''
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (result.length + segment.length > length) break
    result += segment
  }
  return result.replace(/[\s.]+$/, '') || fallback
}
