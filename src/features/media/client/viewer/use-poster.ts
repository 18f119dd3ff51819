import { useEffect, useState } from 'react'
import { thumbnailSize } from '#shared/thumbnail-size.ts'
import type { Media } from '../../contract.ts'

/** The server draws it when it is first asked for; whoever passes by asks for none. */
const restMs = 250
const widths = [1280, 1920]

/** The picture that stands for a video: the thumbnail, until one has come that is sharp on the whole screen. */
export function usePoster({ thumbnailUrl, width, height }: Media) {
  const [sharp, setSharp] = useState<{ of: string; url: string }>()
  const isSharper = Boolean(width && height && thumbnailSize({ width, height }).width < width)
  useEffect(() => {
    if (!isSharper) return
    const image = new Image()
    image.onload = () => setSharp({ of: thumbnailUrl, url: image.currentSrc })
    const timer = setTimeout(() => {
      image.sizes = '100vw'
      image.srcset = widths.map((candidate) => `${thumbnailUrl}?w=${candidate} ${candidate}w`).join(', ')
    }, restMs)
    return () => {
      clearTimeout(timer)
      image.onload = null
    }
  }, [thumbnailUrl, isSharper])
  return sharp?.of === thumbnailUrl ? sharp.url : thumbnailUrl
}
