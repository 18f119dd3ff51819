import { useEffect, useState } from 'react'
import { thumbnailSize } from '#shared/image-sizes.ts'
import type { Media } from '../../contract.ts'
import { posterWidths } from '../../limits.ts'

/**
 * The poster of a video: the thumbnail first, then a full-size one. The server renders that one on first request, so it is
 * requested only for items on which the user stops.
 */
export function usePoster({ thumbnailUrl, width, height }: Media, isSettled: boolean) {
  const [loaded, setLoaded] = useState<string>()
  const isSharper = Boolean(width && height && thumbnailSize({ width, height }).width < width)
  const isLarge = window.innerWidth * window.devicePixelRatio > posterWidths.small
  const sharp = `${thumbnailUrl}?w=${isLarge ? posterWidths.large : posterWidths.small}`
  useEffect(() => {
    if (!isSharper || !isSettled) return
    const image = new Image()
    image.onload = () => setLoaded(sharp)
    image.src = sharp
    return () => {
      image.onload = null
    }
  }, [sharp, isSharper, isSettled])
  return loaded === sharp ? sharp : thumbnailUrl
}
