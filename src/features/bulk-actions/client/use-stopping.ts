import { useRef, useState } from 'react'

/** A way to stop what the page itself is doing, step by step or as one answer; whatever is begun anew is not stopped. */
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
