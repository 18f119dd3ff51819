import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  collectFiles,
  isAcceptedFile,
  leftOutNotice,
  namePastedFiles,
  readDroppedFiles,
  sortOutFiles,
} from './incoming-files.ts'
import { addFiles, emptyQueue } from './upload-queue.ts'

const limit = 524_288_000

test('every type of the specification is accepted, and nothing else', () => {
  const accepted = ['image/jpeg', 'image/jpg', 'image/png', 'image/gif', 'image/webp']
  const films = ['video/mp4', 'video/quicktime', 'video/x-msvideo', 'video/mov', 'video/avi']
  for (const type of [...accepted, ...films]) assert.ok(isAcceptedFile({ name: 'x', type, size: 1 }), type)
  for (const type of ['image/svg+xml', 'image/heic', 'image/avif', 'video/webm', 'text/plain', 'application/pdf'])
    assert.ok(!isAcceptedFile({ name: 'x.jpg', type, size: 1 }), type)
})

test('a file of exactly 500 MB is accepted and one byte more is not', () => {
  assert.ok(isAcceptedFile({ name: 'x', type: 'video/mp4', size: limit }))
  assert.ok(!isAcceptedFile({ name: 'x', type: 'video/mp4', size: limit + 1 }))
})

test('a file without a known type is accepted by its extension', () => {
  assert.ok(isAcceptedFile({ name: 'holiday.AVI', type: '', size: 1 }))
  assert.ok(isAcceptedFile({ name: 'holiday.avi', type: 'video/vnd.avi', size: 1 }))
  assert.ok(!isAcceptedFile({ name: 'notes.txt', type: '', size: 1 }))
  assert.ok(!isAcceptedFile({ name: 'avi', type: '', size: 1 }))
})

test('the accepted files of a mixed selection are kept', () => {
  const good = new File(['a'], 'a.png', { type: 'image/png' })
  const bad = new File(['b'], 'b.txt', { type: 'text/plain' })
  assert.deepEqual(sortOutFiles([good, bad]), { accepted: [good], rejected: [bad] })
})

test('the notice about rejected files lists the supported formats', () => {
  assert.deepEqual(leftOutNotice(1, 0), {
    title: 'Some files were rejected',
    description:
      'Only images and videos under 500MB are supported. Supported formats: JPEG, PNG, GIF, WebP, MP4, MOV, AVI.',
  })
  assert.equal(leftOutNotice(0, 0), undefined)
})

test('the notice names unreadable files in addition to rejected ones', () => {
  const sentence = '2 files or folders could not be read. Check your permission to open them and try again.'
  assert.deepEqual(leftOutNotice(0, 2), { title: 'Some files could not be read', description: sentence })
  assert.equal(leftOutNotice(3, 2)?.description, `${leftOutNotice(3, 0)?.description} ${sentence}`)
})

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

test('a dropped folder adds all files in it, at any depth, sorted by name', async () => {
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

test('files that differ only in their folder are two files', async () => {
  const [one, other] = [fileEntry('1.png', '/trip/a'), fileEntry('1.png', '/trip/b')]
  const { files } = await collectFiles([folderEntry('trip', [folderEntry('a', [one]), folderEntry('b', [other])])])
  assert.deepEqual(
    files.map(({ webkitRelativePath }) => webkitRelativePath),
    ['trip/a/1.png', 'trip/b/1.png'],
  )
  assert.equal(addFiles(emptyQueue, files).items.length, 2)
  assert.equal(addFiles(addFiles(emptyQueue, files), files).items.length, 2, 'dropped twice, it is there once')
})

test('hidden and system files in a dropped folder are skipped', async () => {
  const hidden = ['.DS_Store', 'Thumbs.db', 'desktop.ini', '.hidden.png'].map((name) => fileEntry(name))
  assert.deepEqual(await names([folderEntry('holiday', [...hidden, fileEntry('a.png')])]), ['a.png'])
})

test('a dropped folder with more files than one read returns is read completely', async () => {
  const many = Array.from({ length: 250 }, (_, index) => fileEntry(`${index}.png`))
  assert.equal((await collectFiles([folderEntry('many', many, 100)])).files.length, 250)
})

test('unreadable files of a drop are counted and the others are added', async () => {
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

test('a dropped file is read directly and a dropped folder through its entry', async () => {
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

const at = new Date(2025, 2, 9, 14, 5, 7)

test('a pasted image is named after the current time and a pasted file keeps its name', () => {
  const picture = new File(['x'], 'image.png', { type: 'image/png' })
  const file = new File(['y'], 'beach.jpg', { type: 'image/jpeg' })
  const [first, second, third] = namePastedFiles([picture, file, picture], at)
  assert.equal(first!.name, 'Pasted 2025-03-09 14.05.07.png')
  assert.equal(first!.type, 'image/png')
  assert.equal(second, file)
  assert.equal(third!.name, 'Pasted 2025-03-09 14.05.07 3.png')
})
