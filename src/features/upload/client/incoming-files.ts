import { maxUploadBytes } from '#features/media/limits.ts'
import { uploadMimeTypes } from '#features/media/mime-types.ts'
import { countOf } from '#shared/count.ts'
import { supportedFormats } from '../limits.ts'

/** Browsers' names of the accepted types. The server reads the bytes and has the last word. */
const acceptedTypes: string[] = [...uploadMimeTypes, 'image/jpg', 'video/mov', 'video/avi']
const acceptedExtensions = ['.jpg', '.jpeg', '.png', '.gif', '.webp', '.mp4', '.mov', '.avi']
/** Types that say nothing, or that only some systems use for AVI: the file name decides. */
const vagueTypes = ['', 'application/octet-stream', 'video/vnd.avi', 'video/msvideo']

/** For the `accept` attribute of the file input. */
export const acceptAttribute = [...acceptedTypes, ...acceptedExtensions].join(',')

const rejectionNotice = {
  title: 'Some files were rejected',
  description: `Only images and videos under 500MB are supported. ${supportedFormats}`,
}

/** The notice about files that were not added: unsupported, too large or unreadable. */
export function leftOutNotice(rejected: number, unreadable: number) {
  if (unreadable === 0) return rejected > 0 ? rejectionNotice : undefined
  const sentence = `${countOf(unreadable, 'file or folder', 'files or folders')} could not be read. Check your permission to open them and try again.`
  if (rejected === 0) return { title: 'Some files could not be read', description: sentence }
  return { ...rejectionNotice, description: `${rejectionNotice.description} ${sentence}` }
}

export function isAcceptedFile({ name, type, size }: Pick<File, 'name' | 'type' | 'size'>): boolean {
  if (size > maxUploadBytes) return false
  if (acceptedTypes.includes(type.toLowerCase())) return true
  const hasAcceptedName = acceptedExtensions.some((extension) => name.toLowerCase().endsWith(extension))
  return vagueTypes.includes(type.toLowerCase()) && hasAcceptedName
}

export function sortOutFiles(files: readonly File[]): { accepted: File[]; rejected: File[] } {
  const { accepted = [], rejected = [] } = Object.groupBy(files, (file) =>
    isAcceptedFile(file) ? 'accepted' : 'rejected',
  )
  return { accepted, rejected }
}

/** Files that operating systems add to folders. */
const systemFiles = ['thumbs.db', 'desktop.ini']

const byName = new Intl.Collator('en', { numeric: true })

/** `unreadable` counts files and folders that could not be read. */
type DroppedFiles = { files: File[]; unreadable: number }

/** The files of a drop, including those inside folders. Must be called in the drop event's handler. */
export async function readDroppedFiles({ items }: Pick<DataTransfer, 'items'>): Promise<DroppedFiles> {
  return collectFiles([...items].flatMap((item) => folderOf(item) ?? item.getAsFile() ?? []))
}

/** Single files are read directly: in Safari, an image dragged from a page has an entry that cannot be read. */
function folderOf(item: DataTransferItem) {
  const entry = item.webkitGetAsEntry()
  return entry?.isDirectory ? entry : null
}

/** Walks folders recursively in the order of names and skips hidden and system files. */
export async function collectFiles(dropped: readonly (File | FileSystemEntry)[]): Promise<DroppedFiles> {
  const collected: DroppedFiles = { files: [], unreadable: 0 }
  const walk = async (some: readonly (File | FileSystemEntry)[]) => {
    for (const entry of some) {
      try {
        if (entry instanceof File) collected.files.push(await tryToRead(entry))
        else if (isFile(entry)) collected.files.push(await readFile(entry))
        else if (isDirectory(entry)) await walk(await readFolder(entry))
      } catch {
        // No permission, a broken link or a disconnected drive: the other files are still read.
        collected.unreadable++
      }
    }
  }
  await walk(dropped)
  return collected
}

async function readFolder(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const entries: FileSystemEntry[] = []
  for (;;) {
    // Browsers return a hundred entries at a time; an empty batch is the end.
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (part.length === 0) break
    entries.push(...part)
  }
  return entries
    .filter(({ name }) => !name.startsWith('.') && !systemFiles.includes(name.toLowerCase()))
    .sort((one, other) => byName.compare(one.name, other.name))
}

async function tryToRead(file: File) {
  await file.slice(0, 1).arrayBuffer()
  return file
}

/** Sets the path as the folder picker does: files in two folders may have the same name, size and time. */
async function readFile(entry: FileSystemFileEntry) {
  const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject))
  return Object.defineProperty(file, 'webkitRelativePath', { value: entry.fullPath.slice(1) })
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile
const isDirectory = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory

/** The name that browsers give to every image on the clipboard. */
const clipboardName = /^image\.(png|jpe?g|gif|webp)$/i

/** Names a pasted image after the current time. Pasted files keep their names. */
export function namePastedFiles(files: readonly File[], at: Date): File[] {
  return files.map((file, index) => {
    const extension = clipboardName.exec(file.name)?.[1]
    if (!extension) return file
    const number = index === 0 ? '' : ` ${index + 1}`
    const name = `Pasted ${fileTimestamp(at)}${number}.${extension.toLowerCase()}`
    return new File([file], name, { type: file.type, lastModified: at.getTime() })
  })
}

/** "2025-03-09 14.05.07": sorts by time and is valid on every file system. */
function fileTimestamp(at: Date): string {
  const two = (value: number) => String(value).padStart(2, '0')
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-')
  return `${day} ${[two(at.getHours()), two(at.getMinutes()), two(at.getSeconds())].join('.')}`
}
