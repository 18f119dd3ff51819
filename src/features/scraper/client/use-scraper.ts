import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useReducer, useRef } from 'react'
import { refreshMedia } from '#features/media/client/mutations.ts'
import { ApiError, call, messageOf } from '#platform/client/call.ts'
import { readEvents } from '#platform/client/read-events.ts'
import { toastError, toastSuccess } from '#ui/notices/toast.ts'
import { failureOf, type RunProgress, type RunSource, scraperApi } from '../contract.ts'
import { toWebAddresses } from '../web-address.ts'
import { checkPageUrl, checkSelection, checkUrls, type InputError } from './check-input.ts'
import { followRun } from './follow-run.ts'
import { type Listen, readRun } from './read-run.ts'
import { advance, patternOf, resetDelayMs, startFlow } from './scrape-flow.ts'

export type Scraper = ReturnType<typeof useScraper>

/** The state of the page and the calls that change it. Leaving the page does not stop an upload. */
export function useScraper() {
  const [flow, dispatch] = useReducer(advance, undefined, startFlow)
  const queryClient = useQueryClient()
  const leavingRef = useRef(new AbortController())
  const resetTimerRef = useRef<number>(undefined)

  const watch = useCallback(
    async (kind: RunSource, listen: Listen) => {
      const { signal } = leavingRef.current
      let last: RunProgress | undefined
      try {
        await listen((progress) => {
          if (!progress) return dispatch({ type: 'waiting' })
          last = progress
          dispatch({ type: 'progressed', progress })
        }, signal)
      } catch (error) {
        if (signal.aborted) return
        const message = whatFailed(error, failureOf[kind])
        dispatch({ type: 'failed', message })
        toastError('Upload Failed', message)
        return
      }
      if (last!.stoppedCount > 0) {
        // The selection stays, since a user who stops an upload may want fewer images or continue later.
        toastSuccess('Upload stopped', last!.message)
      } else if (last!.results.successCount === 0) {
        toastError('Upload Failed', failureOf[kind])
      } else {
        toastSuccess('Upload Complete', uploaded(kind, last!))
        resetTimerRef.current = window.setTimeout(() => dispatch({ type: 'reset-due', kind }), resetDelayMs)
      }
      void refreshMedia(queryClient)
      // Without the reasons, the card still shows the counts.
      const { run } = await call<typeof scraperApi.currentRun>('GET /api/scrape-runs/current').catch(() => ({
        run: null,
      }))
      if (run?.isComplete) dispatch({ type: 'failures-known', runId: run.id, failed: run.failed })
    },
    [queryClient],
  )

  // After a reload or a return the page shows a run that is active or has just ended.
  useEffect(() => {
    const leaving = new AbortController()
    leavingRef.current = leaving
    call<typeof scraperApi.currentRun>('GET /api/scrape-runs/current', undefined, { signal: leaving.signal })
      .then(({ run }) => {
        if (!run || leaving.signal.aborted) return
        dispatch({ type: 'run-found', run })
        if (!run.isComplete) void watch(run.kind, (onProgress, signal) => followRun(run.id, onProgress, signal))
      })
      // The page then starts empty, as without a run.
      .catch(() => undefined)
    return () => {
      leaving.abort()
      window.clearTimeout(resetTimerRef.current)
    }
  }, [watch])

  function begin(kind: RunSource, start: (signal: AbortSignal) => AsyncIterable<RunProgress>) {
    window.clearTimeout(resetTimerRef.current)
    dispatch({ type: 'upload-started', kind })
    void watch(kind, (onProgress, signal) => readRun({ events: start(signal), follow: followRun, signal }, onProgress))
  }

  return {
    flow,
    dispatch,
    async analyze() {
      if (refuse(checkPageUrl(flow.pageUrl))) return
      window.clearTimeout(resetTimerRef.current)
      dismiss()
      dispatch({ type: 'analysis-started' })
      try {
        const { signal } = leavingRef.current
        const preview = await call<typeof scraperApi.preview>(
          'POST /api/scrape-preview',
          { body: { url: flow.pageUrl.trim() } },
          { signal },
        )
        dispatch({ type: 'analysis-done', preview })
        const description = `Found ${preview.totalFound} images on "${preview.pageTitle}"`
        toastSuccess('Analysis Complete', description)
      } catch (error) {
        if (leavingRef.current.signal.aborted) return
        const message = whatFailed(error, failureOf.preview)
        dispatch({ type: 'failed', message })
        toastError('Analysis Failed', message)
      }
    },
    uploadSelected() {
      const { preview, selectedIds } = flow
      if (refuse(checkSelection(selectedIds.size)) || !preview) return
      const selectedImages = preview.images.filter(({ id }) => selectedIds.has(id))
      const body = { selectedImages, pageUrl: preview.pageUrl, namePattern: patternOf(flow) }
      begin('page', (signal) => readEvents(scraperApi.upload, { body }, { signal }))
    },
    uploadUrls() {
      const texts = flow.rows.map(({ text }) => text)
      if (refuse(checkUrls(texts))) return
      const body = { urls: toWebAddresses(texts), namePattern: patternOf(flow) }
      begin('urls', (signal) => readEvents(scraperApi.uploadFromUrls, { body }, { signal }))
    },
    retry() {
      const { run } = flow
      if (!run?.progress) return
      const body = { runId: run.progress.runId }
      begin(run.kind, (signal) => readEvents(scraperApi.retry, { body }, { signal }))
    },
    /** Hides an ended upload from the next visit. */
    dismiss,
    startOver() {
      window.clearTimeout(resetTimerRef.current)
      dismiss()
      dispatch({ type: 'started-over' })
    },
  }

  function dismiss() {
    const runId = flow.run?.progress?.runId
    // If the request fails, the card shows once more.
    if (runId !== undefined)
      call<typeof scraperApi.dismissRun>('POST /api/scrape-runs/:id/dismiss', { params: { id: runId } }).catch(
        () => undefined,
      )
  }
}

/** The server's message, or `failure` when it answered without one. Other errors are unexpected. */
function whatFailed(error: unknown, failure: string): string {
  const hasAnswered = error instanceof ApiError && typeof error.body === 'object'
  return messageOf(error, hasAnswered ? failure : 'An unexpected error occurred')
}

function refuse(inputError: InputError | null): boolean {
  if (inputError) toastError(inputError.title, inputError.description)
  return inputError !== null
}

function uploaded(kind: RunSource, { results }: RunProgress): string {
  const images = `Uploaded ${results.successCount} images`
  return kind === 'page' ? `${images} to your media library` : `${images} from URLs`
}
