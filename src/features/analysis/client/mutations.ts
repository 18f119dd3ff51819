import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { userIn } from '#features/auth/client/queries.ts'
import { refreshMedia } from '#features/media/client/mutations.ts'
import { undoScope } from '#features/media/client/undo-scope.ts'
import { ApiError, call, causeOf, connectionProblem, messageOf } from '#platform/client/call.ts'
import { retryAction } from '#platform/client/retry.ts'
import { findProgress, untilRunEnds } from '#platform/client/run-progress.ts'
import { toast, toastError, toastSuccess } from '#ui/notices/toast.ts'
import { navigateAway } from '#ui/unsaved-changes.ts'
import type { AiRenameRequest, AiRun, AltTextRequest, analysisApi, DifferentMedia } from '../contract.ts'
import { analysisQueries, refreshRuns } from './queries.ts'
import { reviewAddress } from './tool-address.ts'

export function useRevertAnalysis() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (id: number) =>
      call<typeof analysisApi.revert>('POST /api/media/:id/revert-analysis', { params: { id } }),
    onSuccess: () => {
      toastSuccess('Analysis reverted', 'Your own text was kept.')
      return refreshMedia(queryClient)
    },
    onError: (error) =>
      toastError('Revert failed', messageOf(error, "Couldn't revert the analysis."), connectionProblem(error)),
  })
}

/** Needs no confirmation, because it can be undone. */
export function useDismissDuplicates() {
  const queryClient = useQueryClient()
  const undo = useUndoDismissal()
  return useMutation({
    mutationFn: (body: DifferentMedia) =>
      call<typeof analysisApi.dismissDuplicates>('POST /api/media/duplicates/dismissals', { body }),
    onSuccess: ({ message, dismissalId }) => {
      toastSuccess(
        'Marked as different',
        message,
        dismissalId ? { label: 'Undo', onSelect: () => undo.mutate(dismissalId) } : undefined,
      )
      return refreshDuplicates(queryClient)
    },
    onError: (error) => {
      toastError(
        "Couldn't mark as different",
        messageOf(error, "The change wasn't saved. Please try again."),
        connectionProblem(error),
      )
      // The list may be out of date. It is refreshed in the background, so the user can retry at once.
      void refreshDuplicates(queryClient)
    },
  })
}

function useUndoDismissal() {
  const queryClient = useQueryClient()
  const undo = useMutation({
    mutationFn: (dismissalId: string) =>
      call<typeof analysisApi.undoDismissal>('DELETE /api/media/duplicates/dismissals/:dismissalId', {
        params: { dismissalId },
      }),
    onSuccess: ({ message }) => toastSuccess('Undone', message),
    onError: (error, dismissalId) =>
      toast({
        title: 'Undo failed',
        description: messageOf(error, "Couldn't undo the change."),
        tone: 'danger',
        action: retryAction(error, () => undo.mutate(dismissalId)),
      }),
    onSettled: () => refreshDuplicates(queryClient),
  })
  return undo
}

const refreshDuplicates = (queryClient: QueryClient) =>
  queryClient.invalidateQueries({ queryKey: analysisQueries.duplicates().queryKey })

type StartedRun = { message: string; errors: { id: number; message: string }[]; run: AiRun }
type RunWords = { done: string; stopped: string; failed: string; reason: string }

export const useBulkAiTag = () =>
  useAiRun(
    (body: { mediaIds: number[]; runId: string; review: boolean; websiteId?: number }) =>
      call<typeof analysisApi.bulkTag>('POST /api/media/bulk-ai-tag', { body }),
    {
      done: 'AI Tagging complete',
      stopped: 'AI Tagging stopped',
      failed: 'AI Tagging Failed',
      reason: "Couldn't tag the items.",
    },
  )

export const useWriteAltTexts = () =>
  useAiRun(
    (body: AltTextRequest & { runId: string }) =>
      call<typeof analysisApi.bulkAltText>('POST /api/media/bulk-alt-text', { body }),
    {
      done: 'No alt texts written',
      stopped: 'Writing stopped',
      failed: 'Writing alt texts failed',
      reason: "Couldn't write the alt texts.",
    },
  )

/**
 * Resolves when the run ends. If the dialog was closed in the meantime, the toast links to the review; an open dialog
 * navigates there itself.
 */
function useAiRun<Body extends { runId: string }>(start: (body: Body) => Promise<StartedRun>, words: RunWords) {
  const isShown = useRef(false)
  useEffect(() => {
    isShown.current = true
    return () => {
      isShown.current = false
    }
  }, [])
  const queryClient = useQueryClient()
  const revert = useRevertRun()
  return useMutation({
    mutationFn: async (body: Body) => {
      const answer = await start(body).catch((error) => throwUnlessStarted(queryClient, body.runId, error))
      return !answer || answer.run.status === 'running' ? followRun(queryClient, body.runId) : answer
    },
    onMutate: () => userIn(queryClient),
    onSuccess: ({ message, errors, run }, _wish, person) => {
      // The user who started the run has signed out and will find it in the history. Another user must not see its toast.
      if (person !== userIn(queryClient)) return
      const { runId, status, successful } = run
      if (status === 'done' && successful === 0 && errors.length > 0) {
        toastError(words.failed, `${message} ${errors[0]!.message}`)
        return refreshRuns(queryClient)
      }
      const undo = { label: 'Undo', onSelect: () => revert.mutate(runId) }
      const review = { label: 'Review', onSelect: () => navigateAway(() => navigate(reviewAddress(runId))) }
      const next = status === 'review' ? !isShown.current && review : successful > 0 && undo
      // The review lists every failure itself.
      const told = status === 'review' ? message : [message, ...commonReason(errors)].join(' ')
      const titles = { review: 'Ready for your review', cancelled: words.stopped } as const
      const title = status === 'review' || status === 'cancelled' ? titles[status] : words.done
      toastSuccess(title, told, next || undefined)
      return refreshRuns(queryClient)
    },
    onError: (error, _wish, person) => {
      // The user who started the run has signed out; the run continues on the server.
      if (person !== userIn(queryClient)) return
      toastError(words.failed, messageOf(error, words.reason), connectionProblem(error))
    },
    onSettled: () => refreshMedia(queryClient),
  })
}

/** The reason, if all failures share it, such as a limit that was reached midway. Otherwise each item shows its own. */
function commonReason(errors: readonly { message: string }[]) {
  const reasons = new Set(errors.map(({ message }) => message))
  return reasons.size === 1 ? [...reasons] : []
}

/** Items that are being analyzed are finished first. */
export function useCancelRun() {
  return useMutation({
    mutationFn: (runId: string) =>
      call<typeof analysisApi.cancelRun>('POST /api/ai-runs/:runId/cancel', { params: { runId } }),
    onError: (error) => toastError("Couldn't stop", messageOf(error, 'Please try again.'), connectionProblem(error)),
  })
}

export function useRevertRun() {
  const queryClient = useQueryClient()
  return useMutation({
    scope: undoScope,
    mutationFn: (runId: string) =>
      call<typeof analysisApi.revertRun>('POST /api/ai-runs/:runId/revert', { params: { runId } }),
    onSuccess: ({ message }) => {
      toastSuccess('Undone', message)
      return Promise.all([refreshMedia(queryClient), refreshRuns(queryClient)])
    },
    onError: (error) =>
      toastError('Undo failed', messageOf(error, "Couldn't undo the change."), connectionProblem(error)),
  })
}

type Renaming = { id: number } & Pick<AiRenameRequest, 'company' | 'context' | 'names' | 'pattern'> &
  Partial<Pick<AiRenameRequest, 'renameAddresses'>>

/** Returns the names that would be given without changing anything. */
export function usePreviewAiRename() {
  return useMutation({
    mutationFn: ({ id, ...body }: Renaming) =>
      call<typeof analysisApi.renameCollection>('POST /api/collections/:id/ai-rename', {
        params: { id },
        body: { ...body, preview: true },
      }),
    onError: (error) => toastError('Error', 'Failed to rename images with AI.', causeOf(error)),
  })
}

export function useAiRename() {
  const queryClient = useQueryClient()
  const revert = useRevertRun()
  return useMutation({
    mutationFn: ({ id, ...body }: Renaming) =>
      call<typeof analysisApi.renameCollection>('POST /api/collections/:id/ai-rename', { params: { id }, body }),
    onSuccess: ({ stats, runId }) => {
      toastSuccess(
        'Images renamed',
        `${stats.renamed} renamed, ${stats.unchanged} unchanged.`,
        runId ? { label: 'Undo', onSelect: () => revert.mutate(runId) } : undefined,
      )
      return Promise.all([refreshMedia(queryClient), refreshRuns(queryClient)])
    },
    onError: (error) => toastError('Error', 'Failed to rename images with AI.', causeOf(error)),
  })
}

/** The server is polled if no event about the run has arrived for this long. */
const silenceMs = 10_000

const loadRun = (runId: string) => call<typeof analysisApi.run>('GET /api/ai-runs/:runId', { params: { runId } })

/** The server responds before a long run ends; this follows the run, so that the page can report its outcome. */
async function followRun(queryClient: QueryClient, runId: string) {
  for (;;) {
    await untilRunEnds(queryClient, runId, silenceMs)
    const answer = await loadRun(runId).catch(throwIfRefused)
    if (!answer) await new Promise((resolve) => setTimeout(resolve, silenceMs))
    if (!answer || answer.status === 'running') continue
    const { message, errors, pause: _pause, ...run } = answer
    return { message, errors, run }
  }
}

/** A connection may be cut while the server works, so the run counts as failed only if it does not exist. */
async function throwUnlessStarted(queryClient: QueryClient, runId: string, error: unknown) {
  throwIfRefused(error)
  const answer = await loadRun(runId).catch(() => undefined)
  if (!answer && !findProgress(queryClient, runId)) throw error
}

/** A restarted server resumes the run, but a refused request is final. */
function throwIfRefused(error: unknown) {
  if (error instanceof ApiError && error.status < 500) throw error
  return undefined
}
