import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collectFiles, readDroppedFiles } from './dropped-files.ts'
import { addFiles, emptyQueue } from './upload-queue.ts'

/** A file system as a browser shows it to a drop: a folder is read in parts, and only by callbacks. */
function fileEntry(name: string, folder = '') {
  const file = (found: (file: File) => void) => found(new File(['x'], name, { lastModified: 0 }))
  return { name, fullPath: `${folder}/${name}`, isFile: true, isDirectory: false, file } as unknown as FileSystemEntry
}

function folderEntry(name: string, children: FileSystemEntry[], partSize = 2) {
  const createReader = () => {
    const left = [...children]
    return { readEntries: (found: (part: FileSystemEntry[]) => void) => found(left.splice(0, partSize)) }
  }
  return { name, isFile: false, isDirectory: true, createReader } as unknown as FileSystemEntry
}

const names = async (entries: FileSystemEntry[]) => (await collectFiles(entries)).files.map(({ name }) => name)

test('a dropped folder brings everything inside it, at any depth, in the order of names', async () => {
  const inner = folderEntry('inner', [fileEntry('c.png')])
  const folder = folderEntry('holiday', [fileEntry('img 10.png'), fileEntry('img 2.png'), inner, fileEntry('a.png')])
  assert.deepEqual(await names([fileEntry('first.png'), folder]), [
    'first.png',
    'a.png',
    'img 2.png',
    'img 10.png',
    'c.png',
  ])
})

test('files that differ in nothing but their folder are two, as they are in a folder that was chosen', async () => {
  const [one, other] = [fileEntry('1.png', '/trip/a'), fileEntry('1.png', '/trip/b')]
  const { files } = await collectFiles([folderEntry('trip', [folderEntry('a', [one]), folderEntry('b', [other])])])
  assert.deepEqual(
    files.map(({ webkitRelativePath }) => webkitRelativePath),
    ['trip/a/1.png', 'trip/b/1.png'],
  )
  assert.equal(addFiles(emptyQueue, files).items.length, 2)
  assert.equal(addFiles(addFiles(emptyQueue, files), files).items.length, 2, 'dropped twice, it is there once')
})

test('what the system keeps in folders is left there', async () => {
  const hidden = ['.DS_Store', 'Thumbs.db', 'desktop.ini', '.hidden.png'].map((name) => fileEntry(name))
  assert.deepEqual(await names([folderEntry('holiday', [...hidden, fileEntry('a.png')])]), ['a.png'])
})

test('a folder of more files than one reading gives is read to its end', async () => {
  const many = Array.from({ length: 250 }, (_, index) => fileEntry(`${index}.png`))
  assert.equal((await collectFiles([folderEntry('many', many, 100)])).files.length, 250)
})

test('what the system does not give is counted, and the others are taken', async () => {
  const refuse = (_found: unknown, failed: (error: Error) => void) => failed(new Error('NotReadableError'))
  const lockedFile = { ...fileEntry('locked.png'), file: refuse } as FileSystemEntry
  const createReader = () => ({ readEntries: refuse })
  const lockedFolder = { ...folderEntry('locked', []), createReader } as FileSystemEntry
  const folder = folderEntry('holiday', [fileEntry('a.png'), lockedFile, lockedFolder, fileEntry('z.png')])
  const { files, unreadable } = await collectFiles([lockedFile, folder])
  assert.deepEqual(
    files.map(({ name }) => name),
    ['a.png', 'z.png'],
  )
  assert.equal(unreadable, 3)
})

test('a file is taken from the drop itself if it can be read, since its entry may lead nowhere; a folder is walked', async () => {
  const picture = new File(['x'], 'picture.png')
  const lockedPart = { arrayBuffer: () => Promise.reject(new Error('NotReadableError')) }
  const locked = Object.assign(new File(['x'], 'locked.png'), { slice: () => lockedPart })
  const nowhere = { ...fileEntry('picture.png'), file: (_: unknown, failed: () => void) => failed() } as FileSystemEntry
  const folder = folderEntry('holiday', [fileEntry('a.png')])
  const items = [
    { webkitGetAsEntry: () => null, getAsFile: () => null },
    { webkitGetAsEntry: () => nowhere, getAsFile: () => picture },
    { webkitGetAsEntry: () => fileEntry('locked.png'), getAsFile: () => locked },
    { webkitGetAsEntry: () => folder, getAsFile: () => new File([], 'holiday') },
  ] as unknown as DataTransferItemList
  const { files, unreadable } = await readDroppedFiles({ items })
  assert.deepEqual(
    files.map(({ name }) => name),
    ['picture.png', 'a.png'],
  )
  assert.equal(unreadable, 1)
})
