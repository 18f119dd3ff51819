import { type Mutation, useMutation, useMutationState, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { refreshMedia } from '#features/media/client/mutations.ts'
import { call, messageOf } from '#platform/client/call.ts'
import { toast, toastError, toastSuccess } from '#ui/notices/toast.ts'
import type { analysisApi, ProposalChoice } from '../contract.ts'
import { useRevertRun } from './mutations.ts'
import { analysisQueries, refreshRuns } from './queries.ts'
import { type ReviewItems, withChoice, withProposal } from './review-choices.ts'

/** What is done with a review goes to the server one after another: none overtakes the choices before it. */
const inOrder = (runId: string) => ({ id: `review ${runId}` })
const choiceKey = (runId: string) => ['review', runId, 'choice']

type Chosen = { mediaId: number; choice: ProposalChoice }

/** The server keeps what is wanted of a proposal, one choice after another; `useReviewAsChosen` shows it at once. */
export function useChooseProposal(runId: string, page: number) {
  const queryClient = useQueryClient()
  const { queryKey } = analysisQueries.review(runId, page)
  return useMutation({
    scope: inOrder(runId),
    mutationKey: choiceKey(runId),
    mutationFn: ({ mediaId, choice }: Chosen) =>
      call<typeof analysisApi.chooseProposal>('PATCH /api/ai-reviews/:runId/items/:id', {
        params: { runId, id: mediaId },
        body: choice,
      }),
    onSuccess: (proposal) =>
      void queryClient.setQueryData(queryKey, (review) => review && withProposal(review, proposal)),
    onError: (error) => toastError('Review failed', messageOf(error, "Your choice wasn't saved.")),
    // An answer that is on its way may be older than the choice.
    onSettled: () => void queryClient.invalidateQueries({ queryKey }),
  })
}

/** What the server has, and over it what is on its way there: a choice that gets lost is not shown any more. */
export function useReviewAsChosen<T extends ReviewItems>(runId: string, review: T | undefined) {
  const onTheirWay = useMutationState({
    filters: { mutationKey: choiceKey(runId), status: 'pending' },
    select: ({ state }) => state.variables as Chosen,
  })
  return review && onTheirWay.reduce((shown, { mediaId, choice }) => withChoice(shown, mediaId, choice), review)
}

/** A choice that was still on its way and got lost is not written over: then nothing is applied. */
export function useApplyReview(runId: string) {
  const queryClient = useQueryClient()
  const revert = useRevertRun()
  const waitedFor = useRef<Mutation[]>([])
  return useMutation({
    scope: inOrder(runId),
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
    onError: (error) => toastError('Review failed', messageOf(error, whatIsKnown(error))),
  })
}

class LostChoice extends Error {}

/** A line that is cut while the server is at work says nothing of what became of it. */
const whatIsKnown = (error: Error) =>
  error instanceof LostChoice
    ? 'Nothing was applied. Please check your choices and try again.'
    : 'No response. Check History to see whether it was applied.'

export function useDiscardReview(runId: string) {
  const queryClient = useQueryClient()
  return useMutation({
    scope: inOrder(runId),
    mutationFn: () => call<typeof analysisApi.discardReview>('DELETE /api/ai-reviews/:runId', { params: { runId } }),
    onSuccess: ({ message }) => {
      toast({ title: 'Suggestions discarded', description: message })
      return refreshRuns(queryClient)
    },
    onError: (error) => toastError('Review failed', messageOf(error, "Couldn't discard the suggestions.")),
  })
}
