import { splitExtension } from './filename.ts'

const maxLength = 200
const fallback = 'file'

/**
 * A name that is safe to show and to download under on any system: no path parts, control or direction-changing
 * characters, nothing that Windows reserves. It is a label and never becomes a path of ours.
 */
export function safeFilename(name: string) {
  const cleaned = name
    .normalize('NFC')
    .replace(/^.*[\\/]/s, '')
    // Control and format characters; the joiner that holds emoji families together and the variation selectors stay.
    .replace(/[\p{Cc}\p{Co}\p{Cs}\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu, '')
    .replace(/[<>:"|?*]/g, '_')
    .replace(/\s+/g, ' ')
    .replace(/^[\s.]+|[\s.]+$/g, '')
  if (!cleaned) return fallback
  const { stem, extension } = splitExtension(cleaned)
  const safeStem = /^(con|prn|aux|nul|com\d|lpt\d)$/i.test(stem) ? `${stem}_` : stem
  return truncate(safeStem, maxLength - extension.length) + extension
}

/** Never cuts a character in two, as `slice` would with an emoji. */
function truncate(text: string, length: number) {
  if (text.length <= length) return text
  let result = ''
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (result.length + segment.length > length) break
    result += segment
  }
  return result || fallback
}
