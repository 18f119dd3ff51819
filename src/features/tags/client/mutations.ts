import { useMutation, useQueryClient } from '@tanstack/react-query'
import { refreshMedia } from '#features/media/client/mutations.ts'
import type { TagColor } from '#features/media/limits.ts'
import { ApiError, call, connectionProblem, messageOf } from '#platform/client/call.ts'
import { toastError, toastSuccess, toastWhile } from '#ui/notices/toast.ts'
import type { TagOutcome, tagsApi } from '../contract.ts'
import { tagQueries } from './queries.ts'

export type UndoChange = (changeId: number) => void

function useShowOutcome(undo: UndoChange) {
  const queryClient = useQueryClient()
  return (title: string, { message, changeId, isRunning }: TagOutcome) => {
    const action = changeId === undefined || isRunning ? undefined : { label: 'Undo', onSelect: () => undo(changeId) }
    toastSuccess(isRunning ? 'Still working' : title, message, action)
    return refreshMedia(queryClient)
  }
}

const showFailure = (error: unknown) =>
  toastError('Error', messageOf(error, "Couldn't change the tag."), connectionProblem(error))

/** The existing tag if a new name is already taken, so that merging can be offered. */
export function takenName(error: unknown): string | undefined {
  const body = error instanceof ApiError ? (error.body as { canMerge?: boolean; into?: string } | undefined) : undefined
  return body?.canMerge ? body.into : undefined
}

export function useRenameTag(undo: UndoChange) {
  const tell = useShowOutcome(undo)
  return useMutation({
    mutationFn: ({ tag, name }: { tag: string; name: string }) =>
      toastWhile('Renaming', call<typeof tagsApi.change>('PATCH /api/tags/:tag', { params: { tag }, body: { name } })),
    onSuccess: (outcome) => tell('Tag renamed', outcome),
    onError: (error) => takenName(error) ?? showFailure(error),
  })
}

/** A color, or whether it may be suggested; both show at once. */
export function useSetTag() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ tag, ...body }: { tag: string; color?: TagColor | null; isNever?: boolean }) =>
      call<typeof tagsApi.change>('PATCH /api/tags/:tag', { params: { tag }, body }),
    onSuccess: ({ message }, { isNever }) => {
      if (isNever !== undefined) toastSuccess(isNever ? 'Never suggested' : 'Suggested again', message)
      return queryClient.invalidateQueries({ queryKey: tagQueries.all() })
    },
    onError: showFailure,
  })
}

export function useMergeTags(undo: UndoChange) {
  const tell = useShowOutcome(undo)
  return useMutation({
    mutationFn: (body: { from: string[]; into: string }) =>
      toastWhile('Merging', call<typeof tagsApi.merge>('POST /api/tags/merge', { body })),
    onSuccess: (outcome) => tell('Tags merged', outcome),
    onError: showFailure,
  })
}

export function useDeleteTag(undo: UndoChange) {
  const tell = useShowOutcome(undo)
  return useMutation({
    mutationFn: ({ tag, isNever }: { tag: string; isNever: boolean }) =>
      toastWhile(
        'Deleting',
        call<typeof tagsApi.remove>('DELETE /api/tags/:tag', {
          params: { tag },
          query: { isNever: isNever ? 'true' : 'false' },
        }),
      ),
    onSuccess: (outcome) => tell('Tag deleted', outcome),
    onError: showFailure,
  })
}

export function useDismissPair() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (tags: string[]) =>
      call<typeof tagsApi.dismiss>('POST /api/tags/suggestions/dismiss', { body: { tags } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: tagQueries.pairs().queryKey }),
    onError: showFailure,
  })
}
