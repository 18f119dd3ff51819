/** Browsers call every picture on the clipboard this. */
const clipboardName = /^image\.(png|jpe?g|gif|webp)$/i

/** A copied picture has no name of its own; it gets the moment as one. Copied files keep theirs. */
export function namePastedFiles(files: readonly File[], at: Date): File[] {
  return files.map((file, index) => {
    const extension = clipboardName.exec(file.name)?.[1]
    if (!extension) return file
    const number = index === 0 ? '' : ` ${index + 1}`
    const name = `Pasted ${timeWords(at)}${number}.${extension.toLowerCase()}`
    return new File([file], name, { type: file.type, lastModified: at.getTime() })
  })
}

/** "2025-03-09 14.05.07": sorts by time, and every file system takes it. */
function timeWords(at: Date): string {
  const two = (value: number) => String(value).padStart(2, '0')
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-')
  return `${day} ${[two(at.getHours()), two(at.getMinutes()), two(at.getSeconds())].join('.')}`
}
