import { useEffect, useEffectEvent, useState } from 'react'

/** How long each picture is shown. */
const shownMs = 5000

type SlideshowOptions = {
  mediaId: number
  nextId: number | undefined
  /** The items after the last one are being loaded. */
  isMoreComing: boolean
  /** The user has a dialog or the edit form open. */
  isHeld: boolean
  /** The item was deleted elsewhere, so there is nothing to show. */
  isMissing: boolean
  onTurn: (id: number) => void
}

/** Advances to the next item automatically, after a video has finished, and ends with the last item. */
export function useSlideshow({ mediaId, nextId, isMoreComing, isHeld, isMissing, onTurn }: SlideshowOptions) {
  const [isOn, setIsOn] = useState(false)
  const turn = useEffectEvent(() => {
    // A hidden page does not advance.
    if (document.hidden || isFilmRunning()) return
    if (nextId !== undefined) onTurn(nextId)
    else if (!isMoreComing) setIsOn(false)
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: every item gets the full time, also after a manual change
  useEffect(() => {
    if (!isOn || isHeld) return
    if (isMissing) turn()
    const timer = setInterval(() => turn(), shownMs)
    return () => clearInterval(timer)
  }, [isOn, isHeld, isMissing, mediaId])
  useEffect(() => (isOn ? keepScreenOn() : undefined), [isOn])
  return { isOn, toggle: () => setIsOn(!isOn), end: () => setIsOn(false) }
}

/** A video that has failed, is paused or cannot autoplay is shown as long as a picture. */
function isFilmRunning() {
  const film = document.querySelector('video')
  return film !== null && !film.paused && !film.ended
}

/**
 * If the browser refuses, the screen turns off as usual. Browsers release the lock when the page is hidden, so it is
 * requested again.
 */
function keepScreenOn() {
  let lock: Promise<WakeLockSentinel | undefined> | undefined
  const ask = () => {
    if (!document.hidden) lock = navigator.wakeLock?.request('screen').catch(() => undefined)
  }
  ask()
  document.addEventListener('visibilitychange', ask)
  return () => {
    document.removeEventListener('visibilitychange', ask)
    void lock?.then((held) => held?.release())
  }
}
