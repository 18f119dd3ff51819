type Size = { width: number; height: number }

/** `cover` fills the wanted box and cuts what stands out; `contain` fits the whole picture into it. */
export const fits = ['contain', 'cover'] as const
type Fit = (typeof fits)[number]

export type WantedSize = { width?: number | null; height?: number | null; fit?: Fit }

/** The size in which a picture is delivered. It is never enlarged; a crop keeps the shape of its box. */
export function fitPicture(picture: Size, { width, height, fit = 'contain' }: WantedSize): Size {
  if (fit === 'cover' && width && height) {
    return scaled({ width, height }, Math.min(1, picture.width / width, picture.height / height))
  }
  return scaled(picture, Math.min(1, (width ?? Infinity) / picture.width, (height ?? Infinity) / picture.height))
}

/** A box with one side covers nothing: the other side follows from the picture. */
export const isCrop = ({ width, height, fit }: WantedSize) => fit === 'cover' && Boolean(width && height)

const scaled = ({ width, height }: Size, scale: number) => ({
  width: Math.max(1, Math.round(width * scale)),
  height: Math.max(1, Math.round(height * scale)),
})
