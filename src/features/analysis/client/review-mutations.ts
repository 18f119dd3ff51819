import { type Mutation, useMutation, useMutationState, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { refreshMedia } from '#features/media/client/mutations.ts'
import { call, connectionProblem, messageOf } from '#platform/client/call.ts'
import { toast, toastError, toastSuccess } from '#ui/notices/toast.ts'
import type { analysisApi, ProposalChoice } from '../contract.ts'
import { useRevertRun } from './mutations.ts'
import { analysisQueries, refreshRuns } from './queries.ts'
import { type ReviewItems, withChoice, withProposal } from './review-choices.ts'

/** Mutations of one review share a scope, so that they reach the server in the order in which they were made. */
const sequentialScope = (runId: string) => ({ id: `review ${runId}` })
const choiceKey = (runId: string) => ['review', runId, 'choice']

type Chosen = { mediaId: number; choice: ProposalChoice }

/** Saves each choice on the server. `useReviewAsChosen` shows it before the server confirms it. */
export function useChooseProposal(runId: string, page: number) {
  const queryClient = useQueryClient()
  const { queryKey } = analysisQueries.review(runId, page)
  return useMutation({
    scope: sequentialScope(runId),
    mutationKey: choiceKey(runId),
    mutationFn: ({ mediaId, choice }: Chosen) =>
      call<typeof analysisApi.chooseProposal>('PATCH /api/ai-reviews/:runId/items/:id', {
        params: { runId, id: mediaId },
        body: choice,
      }),
    onSuccess: (proposal) =>
      void queryClient.setQueryData(queryKey, (review) => review && withProposal(review, proposal)),
    onError: (error) =>
      toastError('Review failed', messageOf(error, "Your choice wasn't saved."), connectionProblem(error)),
    // A response in flight may be older than this choice.
    onSettled: () => void queryClient.invalidateQueries({ queryKey }),
  })
}

/** The server's review with the pending choices on top. A choice that failed disappears from it. */
export function useReviewAsChosen<T extends ReviewItems>(runId: string, review: T | undefined) {
  const pendingChoices = useMutationState({
    filters: { mutationKey: choiceKey(runId), status: 'pending' },
    select: ({ state }) => state.variables as Chosen,
  })
  return review && pendingChoices.reduce((shown, { mediaId, choice }) => withChoice(shown, mediaId, choice), review)
}

/** If a pending choice fails, nothing is applied, so that the user's choice is not ignored. */
export function useApplyReview(runId: string) {
  const queryClient = useQueryClient()
  const revert = useRevertRun()
  const waitedFor = useRef<Mutation[]>([])
  return useMutation({
    scope: sequentialScope(runId),
    onMutate: () => {
      const choices = { mutationKey: choiceKey(runId), status: 'pending' } as const
      waitedFor.current = queryClient.getMutationCache().findAll(choices)
    },
    mutationFn: async () => {
      if (waitedFor.current.some(({ state }) => state.status === 'error')) throw new LostChoice()
      return call<typeof analysisApi.applyReview>('POST /api/ai-reviews/:runId/apply', { params: { runId } })
    },
    onSuccess: ({ message, summary, run }) => {
      const canRevert = run.status === 'done' && summary.successful > 0
      toastSuccess(
        'Suggestions applied',
        message,
        canRevert ? { label: 'Undo', onSelect: () => revert.mutate(run.runId) } : undefined,
      )
      return Promise.all([refreshMedia(queryClient), refreshRuns(queryClient)])
    },
    onError: (error) => toastError('Review failed', messageOf(error, outcomeMessage(error))),
  })
}

class LostChoice extends Error {}

/** If the connection was cut, the outcome on the server is unknown. */
const outcomeMessage = (error: Error) =>
  error instanceof LostChoice
    ? 'Nothing was applied. Please check your choices and try again.'
    : 'No response. Check History to see whether it was applied.'

export function useDiscardReview(runId: string) {
  const queryClient = useQueryClient()
  return useMutation({
    scope: sequentialScope(runId),
    /** A review without changes is closed silently. */
    mutationFn: (_: { isSilent: boolean }) =>
      call<typeof analysisApi.discardReview>('DELETE /api/ai-reviews/:runId', { params: { runId } }),
    onSuccess: ({ message }, { isSilent }) => {
      if (!isSilent) toast({ title: 'Suggestions discarded', description: message })
      return refreshRuns(queryClient)
    },
    onError: (error) =>
      toastError('Review failed', messageOf(error, "Couldn't discard the suggestions."), connectionProblem(error)),
  })
}
