import { type Query, type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useLayoutEffect } from 'react'
import { refreshAfterRun } from '#features/analysis/client/queries.ts'
import { authQueries } from '#features/auth/client/queries.ts'
import { refreshMedia } from '#features/media/client/mutations.ts'
import { setPlaybackProgress } from '#features/media/client/playback-progress.ts'
import { noteProgress } from '#platform/client/run-progress.ts'
import type { appApi, LiveEvent } from '../contract.ts'

/** Only its address, not its schema: an event is read as it is. */
const eventsPath: typeof appApi.events.path = '/api/events'

/** A batch of uploads tells of every item; the page asks anew when this long no more was told. */
const coalesceMs = 300
/** Thousands of items that change one by one, for minutes, are no reason to fetch the page a thousand times. */
const mostPatienceMs = 5000
/** The browser connects again by itself, unless the server answered with something else than a stream. */
const retryMs = 5000

/** Keeps the queries true while somebody is signed in. */
export function useLiveEvents() {
  const queryClient = useQueryClient()
  // Before the page asks for anything: as a rule the line is open when the first answer comes.
  useLayoutEffect(() => followEvents(queryClient), [queryClient])
}

/** One line to the server, open while the page is in view: browsers allow a site only six, over all its tabs. */
export function followEvents(queryClient: QueryClient): () => void {
  const refresher = createRefresher(queryClient)
  let source: EventSource | undefined
  let retry: number | undefined
  let wasLost = false

  const connect = () => {
    source = new EventSource(eventsPath)
    let isNew = true
    source.onmessage = ({ data }) => applyEvent(JSON.parse(data), refresher, queryClient)
    // The browser's own attempts say what they heard last, and are told what followed; a new line knows nothing.
    source.onopen = () => {
      if (wasLost) refresher.refreshAll()
      // Where the line was long in coming, nobody told what has changed since the answers that are there already.
      else if (isNew) void queryClient.refetchQueries({ type: 'active', predicate: isAnswered })
      isNew = false
      wasLost = false
    }
    source.onerror = () => {
      if (source?.readyState !== EventSource.CLOSED) return
      wasLost = true
      // Signed out elsewhere, perhaps: then this ends, else it tries again.
      void queryClient.invalidateQueries({ queryKey: authQueries.user().queryKey })
      retry = window.setTimeout(connect, retryMs)
    }
  }
  const disconnect = () => {
    window.clearTimeout(retry)
    source?.close()
  }
  // What happened out of view is fetched on focus, as all queries are.
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

/** Not who is signed in: of that nothing is told. */
const isAnswered = ({ queryKey, state }: Query) =>
  queryKey[0] !== authQueries.user().queryKey[0] && state.status === 'success' && state.fetchStatus === 'idle'

export function applyEvent(event: LiveEvent, refresher: Refresher, queryClient: QueryClient) {
  if (event.type === 'media' || event.type === 'collections') refresher.refreshMedia()
  if (event.type === 'run') {
    const { type: _type, ...progress } = event
    noteProgress(queryClient, progress)
    if (!progress.isRunning) {
      // The history lists it in another way.
      refresher.refreshMedia()
      void refreshAfterRun(queryClient)
    }
  }
  if (event.type === 'playback') setPlaybackProgress(event.id, event.fraction)
  if (event.type === 'reset') refresher.refreshAll()
}

type Refresher = ReturnType<typeof createRefresher>

/**
 * Collects what became stale and asks for it together, and anew only after the answer: on a slow line, with many changes,
 * each question would give up the one before it, and no answer would ever arrive. While changes follow each other without a
 * pause, it waits longer from question to question.
 */
export function createRefresher(queryClient: QueryClient) {
  let pause: ReturnType<typeof setTimeout> | undefined
  let limit: ReturnType<typeof setTimeout> | undefined
  let patienceMs = coalesceMs
  let stale: 'nothing' | 'media' | 'all' = 'nothing'
  let isAsking = false

  const refresh = async () => {
    clearTimers()
    isAsking = true
    const isAll = stale === 'all'
    stale = 'nothing'
    await (isAll ? queryClient.invalidateQueries() : refreshMedia(queryClient))
    isAsking = false
    schedule()
  }
  const refreshAfterPause = () => {
    patienceMs = coalesceMs
    return refresh()
  }
  const refreshMidway = () => {
    patienceMs = Math.min(2 * patienceMs, mostPatienceMs)
    return refresh()
  }
  const schedule = () => {
    if (stale === 'nothing' || isAsking) return
    clearTimeout(pause)
    pause = setTimeout(refreshAfterPause, coalesceMs)
    limit ??= setTimeout(refreshMidway, patienceMs)
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
