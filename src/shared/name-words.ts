/** Words that cameras, websites and editors put into names and that say nothing about the picture. */
const emptyWords = new Set(
  `image img photo photograph picture pic banner hero header logo icon thumb thumbnail placeholder default untitled
  screenshot dsc dscn dscf pxl mvi vid download file asset media content upload cover background bg avatar null
  undefined copy final edited scaled resized large medium small full crop cropped webp jpg jpeg png gif avif svg heic
  main view the a an of`.split(/\s+/),
)

const machineMade = [
  /^\d+$/,
  /^[0-9a-f]{6,}$/i,
  /^v\d+$/i,
  /^\d{2,4}x\d{2,4}$/i,
  // Short mixtures of letters and digits ("a1b2c3"); "4k" and "mp3" go with them, which is a small loss.
  /^(?=\w*\d)(?=\w*[a-z])\w{1,6}$/i,
  /^[0-9a-f-]{12,}$/i,
]

export const isMeaningful = (word: string) =>
  !emptyWords.has(word.toLowerCase()) && !machineMade.some((pattern) => pattern.test(word))

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi
const fileEnding = /\.(jpe?g|png|gif|webp|avif|heic|mp4|mov|avi|webm)(\?.*)?$/i
const punctuation = /[_./\\|·•:;,!?()[\]{}"“”«»@#<>*=~^`+\p{Cc}\p{Cf}]+/gu

/** The words of a text that a person wrote: all of them, without punctuation. */
export function toWords(text: string): string[] {
  const plain = text.slice(0, 2000).normalize('NFKC').replace(uuid, ' ').replace(fileEnding, '')
  return plain
    .replace(punctuation, ' ')
    .replace(/(^|\s)[-'’–—]+|(?<![-'’–—])[-'’–—]+(?=\s|$)/gu, ' ')
    .split(/\s+/)
    .filter(Boolean)
}

/** The words of a file name that mean something: "IMG_2041-redShoe-1024x768.jpg" holds "red" and "Shoe". */
export function fileNameWords(fileName: string): string[] {
  const plain = fileName
    .slice(0, 500)
    .normalize('NFKC')
    .replace(uuid, ' ')
    .replace(fileEnding, '')
    .replace(/%20/g, ' ')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
  return toWords(plain.replace(/[-_]+/g, ' ')).filter(isMeaningful)
}
