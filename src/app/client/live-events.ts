import { type Query, type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useLayoutEffect } from 'react'
import { refreshAfterRun } from '#features/analysis/client/queries.ts'
import { authQueries } from '#features/auth/client/queries.ts'
import { refreshMedia } from '#features/media/client/mutations.ts'
import { setPlaybackProgress } from '#features/media/client/playback-progress.ts'
import { noteProgress } from '#platform/client/run-progress.ts'
import { urlOf } from '#platform/url-of.ts'
import type { appApi, LiveEvent } from '../contract.ts'
import { noteStream } from './connection.ts'

/** Only the path is imported, as a type, so that the contract's schemas stay out of this bundle. */
const eventsPath: typeof appApi.events.path = '/api/events'

/** A batch of uploads sends one event per item; the page refetches once no event has arrived for this long. */
const coalesceMs = 300
/** The longest delay between refetches while thousands of items change one by one. */
const maxDelayMs = 5000
/** The browser reconnects by itself, except after a response that is not an event stream. */
const retryMs = 5000

/** Keeps the queries up to date while a user is signed in. */
export function useLiveEvents() {
  const queryClient = useQueryClient()
  // A layout effect runs before the first queries, so the stream is usually open when their responses arrive.
  useLayoutEffect(() => followEvents(queryClient), [queryClient])
}

/** One event stream, open only while the page is visible: browsers allow six connections per site over all tabs. */
export function followEvents(queryClient: QueryClient): () => void {
  const refresher = createRefresher(queryClient)
  let source: EventSource | undefined
  let retry: number | undefined
  let wasLost = false
  let hasFailed = false
  let since = latestEventOfPage()

  const connect = () => {
    source = new EventSource(urlOf<typeof appApi.events>(eventsPath, {}, { since }))
    // The server first sends what has changed since the page was sent, so nothing that the page preloaded is fetched again.
    let isNew = since === undefined
    since = undefined
    source.onmessage = ({ data }) => applyEvent(JSON.parse(data), refresher, queryClient)
    // The browser's own reconnects send the last event id and receive what followed; a new EventSource does not.
    source.onopen = () => {
      noteStream(true)
      // The server is back, so what failed meanwhile may load now.
      if (hasFailed) void queryClient.refetchQueries({ type: 'active', predicate: isFailed })
      hasFailed = false
      if (wasLost) refresher.refreshAll()
      // Changes between the first responses and the opening of the stream were not sent, so refetch.
      else if (isNew) void queryClient.refetchQueries({ type: 'active', predicate: isAnswered })
      isNew = false
      wasLost = false
    }
    source.onerror = () => {
      noteStream(false)
      hasFailed = true
      if (source?.readyState !== EventSource.CLOSED) return
      wasLost = true
      // The session may have ended. If it has, the component unmounts; otherwise retry.
      void queryClient.invalidateQueries({ queryKey: authQueries.user().queryKey })
      retry = window.setTimeout(connect, retryMs)
    }
  }
  const disconnect = () => {
    // A stream that the page itself has closed says nothing about the connection.
    noteStream(true)
    window.clearTimeout(retry)
    source?.close()
  }
  // Changes while the page was hidden are fetched on focus, as all queries are.
  const followVisibility = () => {
    disconnect()
    if (document.visibilityState === 'visible') connect()
  }

  followVisibility()
  document.addEventListener('visibilitychange', followVisibility)
  return () => {
    document.removeEventListener('visibilitychange', followVisibility)
    disconnect()
    refresher.stop()
  }
}

/** The id of the newest event when the server sent the page, where it preloaded anything. */
const latestEventOfPage = () => document.querySelector<HTMLMetaElement>('meta[name=latest-event]')?.content

/** Excludes the user query, which no event concerns. */
const isAnswered = ({ queryKey, state }: Query) =>
  queryKey[0] !== authQueries.user().queryKey[0] && state.status === 'success' && state.fetchStatus === 'idle'

const isFailed = ({ state }: Query) => state.status === 'error'

export function applyEvent(event: LiveEvent, refresher: Refresher, queryClient: QueryClient) {
  if (event.type === 'media' || event.type === 'collections') refresher.refreshMedia()
  if (event.type === 'run') {
    const { type: _type, ...progress } = event
    noteProgress(queryClient, progress)
    if (!progress.isRunning) {
      // The list of runs shows a finished run differently.
      refresher.refreshMedia()
      void refreshAfterRun(queryClient)
    }
  }
  if (event.type === 'playback') setPlaybackProgress(event.id, event.fraction)
  if (event.type === 'reset') refresher.refreshAll()
}

type Refresher = ReturnType<typeof createRefresher>

/**
 * Debounces refetches and starts the next one only after the response: on a slow connection each refetch would cancel the
 * one before, and none would finish. While changes arrive without a pause, the delay between refetches grows.
 */
export function createRefresher(queryClient: QueryClient) {
  let pause: ReturnType<typeof setTimeout> | undefined
  let limit: ReturnType<typeof setTimeout> | undefined
  let delayMs = coalesceMs
  let stale: 'nothing' | 'media' | 'all' = 'nothing'
  let isFetching = false

  const refresh = async () => {
    clearTimers()
    isFetching = true
    const isAll = stale === 'all'
    stale = 'nothing'
    await (isAll ? queryClient.invalidateQueries() : refreshMedia(queryClient))
    isFetching = false
    schedule()
  }
  const refreshAfterPause = () => {
    delayMs = coalesceMs
    return refresh()
  }
  const refreshMidway = () => {
    delayMs = Math.min(2 * delayMs, maxDelayMs)
    return refresh()
  }
  const schedule = () => {
    if (stale === 'nothing' || isFetching) return
    clearTimeout(pause)
    pause = setTimeout(refreshAfterPause, coalesceMs)
    limit ??= setTimeout(refreshMidway, delayMs)
  }
  const clearTimers = () => {
    clearTimeout(pause)
    clearTimeout(limit)
    limit = undefined
  }
  return {
    refreshMedia() {
      if (stale === 'nothing') stale = 'media'
      schedule()
    },
    refreshAll() {
      stale = 'all'
      schedule()
    },
    stop() {
      stale = 'nothing'
      clearTimers()
    },
  }
}
