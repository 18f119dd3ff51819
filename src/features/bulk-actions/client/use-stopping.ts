import { useRef, useState } from 'react'

/**
 * Stops work that the page itself is doing. Each `begin` returns a new signal, so a later start is not stopped by an earlier
 * stop.
 */
export function useStopping() {
  const stopper = useRef<AbortController>(undefined)
  const [isStopping, setIsStopping] = useState(false)
  return {
    isStopping,
    begin(): AbortSignal {
      stopper.current = new AbortController()
      setIsStopping(false)
      return stopper.current.signal
    },
    stop() {
      stopper.current?.abort()
      setIsStopping(true)
    },
  }
}
