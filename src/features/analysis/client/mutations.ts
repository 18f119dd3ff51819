import { useMutation, useQueryClient } from '@tanstack/react-query'
import { refreshMedia } from '#features/media/client/mutations.ts'
import { call, messageOf } from '#platform/client/call.ts'
import { toast, toastError } from '#ui/toast.ts'
import { type AiRenameRequest, analysisApi } from '../contract.ts'

export function useRevertAnalysis() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (id: number) => call(analysisApi.revert, { params: { id } }),
    onSuccess: () => {
      toast({ title: 'Analysis taken back', description: 'What you wrote yourself has stayed.', tone: 'success' })
      return refreshMedia(queryClient)
    },
    onError: (error) => toastError('Revert failed', messageOf(error, 'Could not take the analysis back.')),
  })
}

export function useBulkAiTag() {
  const queryClient = useQueryClient()
  const revert = useRevertRun()
  return useMutation({
    mutationFn: (body: { mediaIds: number[]; runId: string }) => call(analysisApi.bulkTag, { body }),
    onSuccess: ({ message, run }) => {
      const canRevert = run.status !== 'running' && run.successful > 0
      toast({
        title: run.status === 'running' ? 'AI Tagging under way' : 'AI Tagging complete',
        description: message,
        tone: 'success',
        action: canRevert ? { label: 'Undo', onSelect: () => revert.mutate(run.runId) } : undefined,
      })
    },
    onError: (error) => toastError('AI Tagging Failed', messageOf(error, 'The items could not be tagged.')),
    onSettled: () => refreshMedia(queryClient),
  })
}

/** Takes effect after the items that are being looked at. */
export function useCancelRun() {
  return useMutation({ mutationFn: (runId: string) => call(analysisApi.cancelRun, { params: { runId } }) })
}

export function useRevertRun() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (runId: string) => call(analysisApi.revertRun, { params: { runId } }),
    onSuccess: ({ message }) => {
      toast({ title: 'Undone', description: message, tone: 'success' })
      return refreshMedia(queryClient)
    },
    onError: (error) => toastError('Undo failed', messageOf(error, 'Could not undo the change.')),
  })
}

type Renaming = { id: number } & Pick<AiRenameRequest, 'company' | 'context' | 'names'>

/** Which names would be given; nothing changes. */
export function usePreviewAiRename() {
  return useMutation({
    mutationFn: ({ id, ...body }: Renaming) =>
      call(analysisApi.renameCollection, { params: { id }, body: { ...body, preview: true } }),
    onError: () => toastError('Error', 'Failed to rename images with AI.'),
  })
}

export function useAiRename() {
  const queryClient = useQueryClient()
  const revert = useRevertRun()
  return useMutation({
    mutationFn: ({ id, ...body }: Renaming) => call(analysisApi.renameCollection, { params: { id }, body }),
    onSuccess: ({ stats, runId }) => {
      toast({
        title: 'Images renamed',
        description: `${stats.renamed} renamed, ${stats.unchanged} unchanged.`,
        tone: 'success',
        action: runId ? { label: 'Undo', onSelect: () => revert.mutate(runId) } : undefined,
      })
      return refreshMedia(queryClient)
    },
    onError: () => toastError('Error', 'Failed to rename images with AI.'),
  })
}
