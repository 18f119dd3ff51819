import { useEffect, useEffectEvent, useState } from 'react'

/** How long a picture is shown. */
const shownMs = 5000

type SlideshowOptions = {
  mediaId: number
  nextId: number | undefined
  /** What comes after the last one is on its way. */
  isMoreComing: boolean
  /** Somebody reads, writes or answers something above it. */
  isHeld: boolean
  /** It was deleted elsewhere: there is nothing to be seen. */
  isMissing: boolean
  onTurn: (id: number) => void
}

/** Turns to the next item by itself, from a video when it has been played, and ends with the last one. */
export function useSlideshow({ mediaId, nextId, isMoreComing, isHeld, isMissing, onTurn }: SlideshowOptions) {
  const [isOn, setIsOn] = useState(false)
  const turn = useEffectEvent(() => {
    // Nobody sees a page that is not in view.
    if (document.hidden || isFilmRunning()) return
    if (nextId !== undefined) onTurn(nextId)
    else if (!isMoreComing) setIsOn(false)
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: every item has the whole time, also one that a key led to
  useEffect(() => {
    if (!isOn || isHeld) return
    if (isMissing) turn()
    const timer = setInterval(() => turn(), shownMs)
    return () => clearInterval(timer)
  }, [isOn, isHeld, isMissing, mediaId])
  useEffect(() => (isOn ? keepScreenOn() : undefined), [isOn])
  return { isOn, toggle: () => setIsOn(!isOn), end: () => setIsOn(false) }
}

/** One that has failed, was paused or may not play by itself is turned over like a picture. */
function isFilmRunning() {
  const film = document.querySelector('video')
  return film !== null && !film.paused && !film.ended
}

/** Where a browser refuses, the screen goes dark as it always does. Whoever looks elsewhere loses it, and gets it back. */
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
