import { type FileHandle, open } from 'node:fs/promises'
import { notFound } from '#platform/errors.ts'
import { corruptVideo } from './video-tasks.ts'

/** The format that the first bytes name, and the only FFmpeg demuxer that may read the file. */
export type Container = { name: 'mp4' | 'mov' | 'avi'; demuxer: 'mov' | 'avi' }

const openingBoxes = ['ftyp', 'moov', 'mdat', 'wide', 'free', 'skip', 'pnot']
const maxBoxes = 2_000

/**
 * [Note: The bytes choose the demuxer]
 * A playlist renamed to .mp4 could make a guessing demuxer read other files or URLs. So the first bytes name the
 * container, its demuxer is forced, and only the file protocol is allowed.
 */
export async function identifyContainer(path: string): Promise<Container> {
  await using file = await openFile(path)
  const { size } = await file.stat()
  if (size === 0) throw corruptVideo('This file is empty.')
  const start = await readAt(file, 0, 64)
  if (start.toString('latin1', 0, 4) === 'RIFF' && start.toString('latin1', 8, 12) === 'AVI ')
    return { name: 'avi', demuxer: 'avi' }
  if (!openingBoxes.includes(start.toString('latin1', 4, 8))) throw corruptVideo('This file is not a video.')
  await rejectTruncated(file, size)
  const isBrandedMp4 = start.toString('latin1', 4, 8) === 'ftyp' && start.toString('latin1', 8, 12) !== 'qt  '
  return { name: isBrandedMp4 ? 'mp4' : 'mov', demuxer: 'mov' }
}

/**
 * An interrupted upload has an index whose boxes reach beyond the end of the file. A fragmented recording is meant to survive a
 * crash: every fragment but the last one is complete, so it is accepted.
 */
async function rejectTruncated(file: FileHandle, fileSize: number) {
  let position = 0
  let before = ''
  let hasFragment = false
  for (let count = 0; count < maxBoxes && position + 8 <= fileSize; count++) {
    const header = await readAt(file, position, 16)
    const type = header.toString('latin1', 4, 8)
    const size = boxSize(header, fileSize - position)
    if (size < 8) return
    if (position + size > fileSize && (type === 'mdat' || type === 'moov')) {
      if (hasFragment) return
      throw corruptVideo('This video is incomplete: its file ends too early.')
    }
    hasFragment ||= type === 'mdat' && before === 'moof'
    before = type
    position += size
  }
}

/** A size of 0 means "to the end", 1 means that a 64-bit size follows. */
function boxSize(header: Buffer, bytesLeft: number) {
  const size = header.readUInt32BE(0)
  if (size === 0) return bytesLeft
  return size === 1 ? Number(header.readBigUInt64BE(8)) : size
}

async function openFile(path: string) {
  try {
    return await open(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') throw notFound('Video file')
    throw error
  }
}

async function readAt(file: FileHandle, position: number, length: number) {
  const buffer = Buffer.alloc(length)
  await file.read(buffer, 0, length, position)
  return buffer
}
