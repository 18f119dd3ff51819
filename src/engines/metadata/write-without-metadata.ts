import { chmod, constants, copyFile, open, rm } from 'node:fs/promises'
import { storageFull, unsupportedType } from '#platform/errors.ts'
import { eraseAviMetadata } from './avi.ts'
import { keepAvifPicture } from './avif.ts'
import { type ByteReader, createByteReader } from './byte-reader.ts'
import { keepGifPicture } from './gif.ts'
import { keepJpegPicture } from './jpeg.ts'
import { eraseMp4Metadata } from './mp4.ts'
import { keepPngPicture } from './png.ts'
import { createPatches, type Patches, type Piece, writePieces } from './rewrite.ts'
import { keepWebpPicture } from './webp.ts'

/**
 * [Note: Copies without metadata]
 * A visitor's copy must not reveal where, when or with what it was made. Nothing is decoded or encoded again: pictures are
 * copied part by part; videos are copied whole and overwritten in place, because players find their samples by position. Each
 * format has an allowlist.
 */
type Rewrite = { keep: (reader: ByteReader) => AsyncIterable<Piece> } | { erase: typeof eraseMp4Metadata }

const rewrites: Record<string, Rewrite> = {
  'image/jpeg': { keep: keepJpegPicture },
  'image/png': { keep: keepPngPicture },
  'image/webp': { keep: keepWebpPicture },
  'image/gif': { keep: keepGifPicture },
  'image/avif': { keep: keepAvifPicture },
  'video/mp4': { erase: eraseMp4Metadata },
  'video/quicktime': { erase: eraseMp4Metadata },
  'video/x-msvideo': { erase: eraseAviMetadata },
}

export type CleanTask = { mimeType: string; inputPath: string; outputPath: string }

/** Needs little memory and CPU for files of any size. A damaged file throws an AppError and leaves no output. */
export async function writeWithoutMetadata({ mimeType, inputPath, outputPath }: CleanTask) {
  const rewrite = rewrites[mimeType]
  if (!rewrite) throw unsupportedType(`Private details cannot be removed from files of type ${mimeType}.`)
  if (inputPath === outputPath) throw new Error('Expected an output path that differs from the input path')
  try {
    if ('keep' in rewrite) await writeKept(inputPath, outputPath, rewrite.keep)
    else await copyAndErase(inputPath, outputPath, rewrite.erase)
  } catch (error) {
    await rm(outputPath, { force: true })
    throw (error as NodeJS.ErrnoException).code === 'ENOSPC' ? storageFull() : error
  }
}

/** The same for an MP4 that this program has just written, without another copy. */
export async function eraseFilmMetadata(path: string) {
  await using file = await open(path, 'r+')
  const { size } = await file.stat()
  await eraseMp4Metadata(createByteReader(file, size), createPatches(file, size))
}

async function writeKept(inputPath: string, outputPath: string, keep: (reader: ByteReader) => AsyncIterable<Piece>) {
  await using input = await open(inputPath, 'r')
  const { size } = await input.stat()
  await using output = await open(outputPath, 'w')
  await writePieces(keep(createByteReader(input, size)), input, output)
}

async function copyAndErase(
  inputPath: string,
  outputPath: string,
  erase: (reader: ByteReader, patches: Patches) => Promise<void>,
) {
  await copyFile(inputPath, outputPath, constants.COPYFILE_FICLONE)
  // Stored files may be read-only, and a copy inherits that.
  await chmod(outputPath, 0o600)
  await using input = await open(inputPath, 'r')
  const { size } = await input.stat()
  await using output = await open(outputPath, 'r+')
  await erase(createByteReader(input, size), createPatches(output, size))
}
