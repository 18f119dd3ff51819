import sharp from 'sharp'
import { unreadablePicture } from './errors.ts'

/** RGB pixels, three bytes each, row by row. */
export type Picture = { data: Buffer; width: number; height: number }

/** Enough to read small print; larger pictures are brought down to it while they are decoded. */
const longestEdge = 1600

sharp.concurrency(1)
sharp.cache(false)
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['VipsForeignLoadJpeg', 'VipsForeignLoadPng', 'VipsForeignLoadWebp', 'VipsForeignLoadNsgif'],
})

/** Decodes a picture from disk, upright and without transparency. */
export async function loadPicture(path: string, edge = longestEdge): Promise<Picture> {
  try {
    const { data, info } = await sharp(path, { limitInputPixels: 100_000_000, failOn: 'error' })
      .autoOrient()
      .flatten({ background: '#ffffff' })
      .toColourspace('srgb')
      .resize(edge, edge, { fit: 'inside', withoutEnlargement: true })
      .timeout({ seconds: 60 })
      .raw()
      .toBuffer({ resolveWithObject: true })
    if (info.channels !== 3) throw new Error(`Expected 3 channels, received ${info.channels}`)
    return { data, width: info.width, height: info.height }
  } catch {
    throw unreadablePicture()
  }
}

type Size = { width: number; height: number }

type Fit = 'fill' | 'cover' | 'contain'

/** `contain` leaves black bars. */
export async function resizePicture(picture: Picture, { width, height }: Size, fit: Fit = 'fill') {
  const data = await open(picture).resize(width, height, { fit, background: '#000000' }).raw().toBuffer()
  return { data, width, height } satisfies Picture
}

export type Box = { left: number; top: number; width: number; height: number }

export async function cropPicture(picture: Picture, box: Box): Promise<Picture> {
  const data = await open(picture).extract(box).raw().toBuffer()
  return { data, width: box.width, height: box.height }
}

export async function turnPicture(picture: Picture): Promise<Picture> {
  const data = await open(picture).rotate(90).raw().toBuffer()
  return { data, width: picture.height, height: picture.width }
}

const open = ({ data, width, height }: Picture) => sharp(data, { raw: { width, height, channels: 3 } })
