/** What systems put into folders for themselves. */
const systemFiles = ['thumbs.db', 'desktop.ini']

const byName = new Intl.Collator('en', { numeric: true })

/** `unreadable` counts files and folders that the system did not give. */
type DroppedFiles = { files: File[]; unreadable: number }

/** The files of a drop, those inside folders included. Must be called while the drop is being handled. */
export async function readDroppedFiles({ items }: Pick<DataTransfer, 'items'>): Promise<DroppedFiles> {
  return collectFiles([...items].flatMap((item) => folderOf(item) ?? item.getAsFile() ?? []))
}

/** A single file is taken as it is: in Safari, a picture that lies on no disk has an entry that cannot be read. */
function folderOf(item: DataTransferItem) {
  const entry = item.webkitGetAsEntry()
  return entry?.isDirectory ? entry : null
}

/** Folders are walked to their ends, by name; what the system keeps in them is passed over. */
export async function collectFiles(dropped: readonly (File | FileSystemEntry)[]): Promise<DroppedFiles> {
  const found: DroppedFiles = { files: [], unreadable: 0 }
  const walk = async (some: readonly (File | FileSystemEntry)[]) => {
    for (const entry of some) {
      try {
        if (entry instanceof File) found.files.push(await tryToRead(entry))
        else if (isFile(entry)) found.files.push(await readFile(entry))
        else if (isDirectory(entry)) await walk(await readFolder(entry))
      } catch {
        // No permission, a broken link, a drive that is gone: the others are still wanted.
        found.unreadable++
      }
    }
  }
  await walk(dropped)
  return found
}

async function readFolder(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const entries: FileSystemEntry[] = []
  for (;;) {
    // Browsers give a hundred at a time; an empty answer is the end.
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

/** It knows its folder, as one of a folder that was chosen does: a folder's files may have the name, size and time of another's. */
async function readFile(entry: FileSystemFileEntry) {
  const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject))
  return Object.defineProperty(file, 'webkitRelativePath', { value: entry.fullPath.slice(1) })
}
const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile
const isDirectory = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory
