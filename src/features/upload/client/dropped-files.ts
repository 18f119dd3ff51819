/** What systems put into folders for themselves. */
const systemFiles = ['thumbs.db', 'desktop.ini']

const byName = new Intl.Collator('en', { numeric: true })

/** The files of a drop, those inside folders included. Must be called while the drop is being handled. */
export function readDroppedFiles({ items, files }: DataTransfer): Promise<File[]> {
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry?.() ?? [])
  return entries.length > 0 ? collectFiles(entries) : Promise.resolve([...files])
}

/** Folders are walked to their ends, by name; what the system keeps in them is passed over. */
export async function collectFiles(entries: readonly FileSystemEntry[]): Promise<File[]> {
  const files: File[] = []
  for (const entry of entries) {
    if (isFile(entry)) files.push(await readFile(entry))
    else if (isDirectory(entry)) files.push(...(await collectFiles(await readFolder(entry))))
  }
  return files
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

const readFile = (entry: FileSystemFileEntry) => new Promise<File>((resolve, reject) => entry.file(resolve, reject))
const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile
const isDirectory = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory
