import { useEffect, useState } from 'react'
import { thumbnailSize } from '#shared/thumbnail-size.ts'
import type { Media } from '../../contract.ts'

/** The server draws it when it is first asked for; whoever passes by asks for none. */
const restMs = 250

/** The picture that stands for a video: the thumbnail, until one has come that is sharp on the whole screen. */
export function usePoster({ thumbnailUrl, width, height }: Media) {
  const [loaded, setLoaded] = useState<string>()
  const isSharper = Boolean(width && height && thumbnailSize({ width, height }).width < width)
  const sharp = `${thumbnailUrl}?w=${window.innerWidth * window.devicePixelRatio > 1280 ? 1920 : 1280}`
  useEffect(() => {
    if (!isSharper) return
    const image = new Image()
    image.onload = () => setLoaded(sharp)
    const timer = setTimeout(() => (image.src = sharp), restMs)
    return () => {
      clearTimeout(timer)
      image.onload = null
    }
  }, [sharp, isSharper])
  return loaded === sharp ? sharp : thumbnailUrl
}
