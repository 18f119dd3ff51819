import { useSyncExternalStore } from 'react'
import { createListeners } from '#ui/listeners.ts'

/** Proxies close the event stream now and then, and the browser reopens it within three seconds. */
const lossMs = 6000

type Connection = 'connected' | 'offline' | 'unreachable'

let isStreamLost = false
let timer: ReturnType<typeof setTimeout> | undefined
const listeners = createListeners()

/** The event stream shows whether the server can be reached, which the browser alone does not know. */
export function noteStream(isOpen: boolean) {
  if (isOpen) {
    clearTimeout(timer)
    timer = undefined
    setStreamLost(false)
  } else timer ??= setTimeout(setStreamLost, lossMs, true)
}

function setStreamLost(isLost: boolean) {
  if (isStreamLost === isLost) return
  isStreamLost = isLost
  listeners.notify()
}

export function currentConnection(): Connection {
  if (navigator.onLine === false) return 'offline'
  return isStreamLost ? 'unreachable' : 'connected'
}

export function useConnection(): Connection {
  return useSyncExternalStore(subscribe, currentConnection)
}

function subscribe(listener: () => void) {
  const unsubscribe = listeners.subscribe(listener)
  window.addEventListener('online', listener)
  window.addEventListener('offline', listener)
  return () => {
    unsubscribe()
    window.removeEventListener('online', listener)
    window.removeEventListener('offline', listener)
  }
}
