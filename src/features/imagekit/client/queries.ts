import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { call, messageOf } from '#platform/client/call.ts'
import { toast, toastError } from '#ui/toast.ts'
import { imageKitApi } from '../contract.ts'

const whileRunningMs = 1000

export const imageKitQueries = {
  state: () =>
    queryOptions({
      queryKey: ['imagekit'] as const,
      queryFn: ({ signal }) => call(imageKitApi.state, undefined, { signal }),
      refetchInterval: ({ state }) => (state.data?.isRunning ? whileRunningMs : false),
    }),
}

function useRefresh() {
  const queryClient = useQueryClient()
  return () => queryClient.invalidateQueries({ queryKey: imageKitQueries.state().queryKey })
}

export function useMigrate() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: () => {
      // The answer comes at the end; the bar wants to know at once.
      setTimeout(() => void refresh(), whileRunningMs / 2)
      return call(imageKitApi.migrate)
    },
    onSuccess: ({ message, failed }) => {
      toast({ title: 'Migration to ImageKit', description: message, tone: failed > 0 ? 'neutral' : 'success' })
    },
    onError: (error) => toastError('Failed to migrate to ImageKit', messageOf(error, 'Please try again.')),
    onSettled: refresh,
  })
}

export function useStopMigration() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: () => call(imageKitApi.stop),
    onError: (error) => toastError('Could not stop', messageOf(error, 'Please try again.')),
    onSettled: refresh,
  })
}

export function useComeBack() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: () => call(imageKitApi.comeBack),
    onSuccess: ({ message }) => void toast({ title: 'Back from ImageKit', description: message, tone: 'success' }),
    onError: (error) => toastError('Could not remove the copies', messageOf(error, 'Please try again.')),
    onSettled: refresh,
  })
}
