import { addressOf } from '#platform/client/call.ts'
import { RunProgress, scraperApi } from '../contract.ts'
import type { Follow } from './read-run.ts'

const tryAgainMs = 2000
const mostTries = 30

/** Listens to a run until it is complete; the browser connects again by itself, and we do where it gives up. */
export const followRun: Follow = (runId, onProgress, signal) => {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let source: EventSource
  let retry: number | undefined
  let tries = 0

  const connect = () => {
    source = new EventSource(addressOf(scraperApi.follow, undefined, { runId }))
    source.onmessage = ({ data }) => {
      tries = 0
      const parsed = RunProgress.safeParse(JSON.parse(data))
      if (!parsed.success) return
      onProgress(parsed.data)
      if (parsed.data.step === 'complete') resolve()
    }
    source.onerror = () => {
      if (source.readyState !== EventSource.CLOSED) return
      if (++tries >= mostTries) return reject(new Error('The upload could not be followed any more'))
      retry = window.setTimeout(connect, tryAgainMs)
    }
  }
  connect()
  const leave = () => reject(signal.reason)
  signal.addEventListener('abort', leave, { once: true })
  return promise.finally(() => {
    signal.removeEventListener('abort', leave)
    window.clearTimeout(retry)
    source.close()
  })
}
