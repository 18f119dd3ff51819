import { rm } from 'node:fs/promises'
import type { Sharp } from 'sharp'
import { AppError, unsupportedType } from '#platform/errors.ts'
import { type CropBox, cropOf, editedSize, findEditFault, type PictureEdit, turned } from '#shared/picture-edit.ts'
import {
  avifEffort,
  decode,
  type Header,
  maxEncodedPixels,
  openImage,
  openUpright,
  readHeader,
  type Source,
  writeOutput,
} from './decoder.ts'
import { type EditInput, tooManyPixels, type WrittenImage } from './image-tasks.ts'

/**
 * The decoder applies turns, flips and crops of one pipeline in an order of its own. So a step whose order matters reads a
 * lossless copy of the steps before it, and flips come last, with the crop and the angle mirrored.
 */
export async function editImage(task: Source & EditInput): Promise<WrittenImage> {
  const { edit } = task
  const header = await readHeader(task)
  refuseToEdit(header, edit)
  const copies: string[] = []
  const copied = async (image: Sharp) => {
    const path = `${task.outputPath}.${copies.length}`
    copies.push(path)
    const { data, info } = await decode(image.keepExif().png({ compressionLevel: 0 }))
    await writeOutput(path, data)
    return { image: openImage({ path, timeoutSeconds: task.timeoutSeconds }), size: info }
  }
  try {
    let image = openUpright(task, header).toColourspace('srgb')
    if (edit.turn !== 0) image = image.rotate(edit.turn)
    const size = turned(header, edit.turn)
    let box = mirrored(cropOf(header, edit), size, edit)
    if (edit.straighten !== 0) {
      // The mirror image of a picture is straightened the other way.
      const angle = edit.flipHorizontal === edit.flipVertical ? edit.straighten : -edit.straighten
      const upright = (await copied(image)).image
      const straight = await copied(upright.rotate(angle, { background: '#00000000' }))
      image = header.metadata.hasAlpha ? straight.image : straight.image.removeAlpha()
      box = inBounds(box, size, straight.size)
    }
    image = image.extract(box)
    const isFlipped = edit.flipHorizontal || edit.flipVertical
    if (isFlipped && (edit.turn !== 0 || edit.straighten !== 0)) image = (await copied(image)).image
    const result = editedSize(header, edit)
    if (result.width !== box.width) image = image.resize({ ...result, fit: 'fill' })
    const { data } = await decode(encodeAs(header, image.flop(edit.flipHorizontal).flip(edit.flipVertical)).keepExif())
    await writeOutput(task.outputPath, data)
    return { ...result, bytes: data.length }
  } finally {
    await Promise.all(copies.map((path) => rm(path, { force: true })))
  }
}

function refuseToEdit(header: Header, edit: PictureEdit) {
  if (header.frames > 1 || header.isAnimatedPng)
    throw unsupportedType('Animations cannot be edited, because only one of their frames would be kept.')
  const pixels = header.width * header.height
  if (pixels > maxEncodedPixels) {
    const megapixels = Math.ceil(pixels / 1_000_000)
    throw tooManyPixels(`Images of up to 50 megapixels can be edited; this one has ${megapixels}.`)
  }
  const fault = findEditFault(header, edit)
  if (fault) throw new AppError('invalid', 400, fault.message, { field: fault.field })
}

/** The crop in the picture before it is flipped. */
function mirrored(box: CropBox, { width, height }: Pick<Header, 'width' | 'height'>, edit: PictureEdit): CropBox {
  const left = edit.flipHorizontal ? width - box.left - box.width : box.left
  const top = edit.flipVertical ? height - box.top - box.height : box.top
  return { ...box, left, top }
}

type Size = Pick<Header, 'width' | 'height'>

/** The crop in the larger box around the straightened picture. */
function inBounds(box: CropBox, picture: Size, bounds: Size): CropBox {
  const width = Math.min(box.width, bounds.width)
  const height = Math.min(box.height, bounds.height)
  const left = Math.round(box.left + (bounds.width - picture.width) / 2)
  const top = Math.round(box.top + (bounds.height - picture.height) / 2)
  return {
    left: Math.min(Math.max(0, left), bounds.width - width),
    top: Math.min(Math.max(0, top), bounds.height - height),
    width,
    height,
  }
}

/** High enough that a few edits in a row cannot be seen. */
const quality = 92
const avifQuality = 80

function encodeAs({ mimeType, width, height }: Header, image: Sharp) {
  if (mimeType === 'image/png') return image.png()
  if (mimeType === 'image/gif') return image.gif()
  if (mimeType === 'image/webp') return image.webp({ quality, effort: 2 })
  if (mimeType === 'image/avif') return image.avif({ quality: avifQuality, effort: avifEffort(width * height) })
  return image.flatten({ background: '#ffffff' }).jpeg({ quality, chromaSubsampling: '4:4:4' })
}
