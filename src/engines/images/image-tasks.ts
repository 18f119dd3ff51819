import type { PictureWords } from '#engines/metadata/picture-words.ts'
import { AppError, unsupportedType } from '#platform/errors.ts'
import type { FocalPoint } from '#shared/cover-crop.ts'
import type { WantedSize } from '#shared/fit-picture.ts'
import type { PictureEdit } from '#shared/picture-edit.ts'

/** Messages between the server and the image child processes. This file is free of sharp, so both may import it. */
export type ImageMimeType = 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp' | 'image/avif'
export type RenditionFormat = 'webp' | 'avif' | 'jpeg' | 'png' | 'gif'

/** Camera data, limited and cleaned, because the values are untrusted. */
export type ImageExif = {
  /** ISO 8601 in the camera's local time, with its offset if the camera knew it. */
  takenAt?: string
  camera?: string
  lens?: string
  /** Millimeters. */
  focalLength?: number
  /** The f-number. */
  aperture?: number
  /** Seconds, as photographers write them: `1/250`, `2.5`. */
  exposure?: string
  iso?: number
  latitude?: number
  longitude?: number
}

export type InspectedImage = {
  mimeType: ImageMimeType
  /** As the picture is shown, after its EXIF orientation was applied. */
  width: number
  height: number
  frames: number
}

export type ProcessedImage = InspectedImage & {
  isAnimated: boolean
  /** Base64; fills the card until the thumbnail is loaded. */
  thumbhash: string
  /** Up to three dominant colors, the strongest first, as `#rrggbb`. */
  colours: string[]
  /** 64-bit difference hash as 16 hexadecimal digits; near duplicates differ in a few bits. */
  perceptualHash: string
  exif: ImageExif
  words: PictureWords
}

export type WrittenImage = { width: number; height: number; bytes: number }
export type SmallJpeg = { data: Uint8Array; width: number; height: number }

export type ProcessInput = { path: string; thumbnailPath: string }
export type RenderInput = WantedSize & {
  path: string
  outputPath: string
  format: RenditionFormat
  /** Without one, the usual quality of the format. */
  quality?: number
  /** What a crop keeps in its middle; without one, the center. */
  focalPoint?: FocalPoint | null
}
export type ConvertFormat = 'webp' | 'jpeg' | 'avif'
export type ConvertInput = {
  path: string
  outputPath: string
  quality: number
  /** WebP when absent. */
  format?: ConvertFormat
  /** A larger picture is made smaller. */
  longestSide?: number
}
export type EditInput = { path: string; outputPath: string; edit: PictureEdit }
export type CutOutInput = {
  path: string
  outputPath: string
  /** How much each point belongs to the subject, 0 to 255, row by row. */
  mask: { data: Uint8Array; width: number; height: number }
  format: 'webp' | 'png'
}
export type ShrinkInput = { path: string; edge: number }

export type ImageTask = { timeoutSeconds: number } & (
  | ({ kind: 'process' } & ProcessInput)
  | ({ kind: 'inspect' } & { path: string })
  | ({ kind: 'render' } & RenderInput)
  | ({ kind: 'convert' } & ConvertInput)
  | ({ kind: 'edit' } & EditInput)
  | ({ kind: 'cut-out' } & CutOutInput)
  | ({ kind: 'shrink' } & ShrinkInput)
)

export const notAccepted = () => unsupportedType('This file is not a JPEG, PNG, GIF or WebP image.')

export const corrupt = () =>
  new AppError('corrupt-image', 415, 'This image is damaged or incomplete and cannot be read.')

export const tooManyPixels = (message = 'Images of more than 100 megapixels are not supported.') =>
  new AppError('too-many-pixels', 413, message)

export const tooSlow = () => new AppError('too-slow', 413, 'This image takes too long to process.')
