import { useIsMutating, useMutation, useQueryClient } from '@tanstack/react-query'
import { call, connectionProblem, messageOf } from '#platform/client/call.ts'
import { toast, toastError } from '#ui/notices/toast.ts'
import type { ImageKitMigration, imageKitApi } from '../contract.ts'
import { imageKitQueries, whileRunningMs } from './queries.ts'

function useRefresh() {
  const queryClient = useQueryClient()
  return () => queryClient.invalidateQueries({ queryKey: imageKitQueries.state().queryKey })
}

const mutationKey = ['imagekit'] as const

/** Whether a migration is running on the server or was requested from any card of this page. */
export function useIsMoving(state: ImageKitMigration) {
  return useIsMutating({ mutationKey }) > 0 || state.isRunning
}

type Words = { title: string; failure: string }

/** The response reports the result. The state is refetched at once, so that the progress bar appears. */
function useMigration(start: () => Promise<ImageKitMigration>, { title, failure }: Words) {
  const refresh = useRefresh()
  return useMutation({
    mutationKey,
    mutationFn: () => {
      setTimeout(() => void refresh(), whileRunningMs / 2)
      return start()
    },
    // The server responds after a few minutes at the latest, even if the migration continues.
    onSuccess: ({ message, migrated, failed, isRunning }) => {
      if (!isRunning && migrated === 0 && failed > 0) return toastError(failure, message)
      toast({
        title: isRunning ? 'Still running' : title,
        description: message,
        tone: failed > 0 || isRunning ? 'neutral' : 'success',
      })
    },
    onError: (error) => toastError(failure, messageOf(error, 'Please try again.'), connectionProblem(error)),
    onSettled: refresh,
  })
}

export const useMigrate = () =>
  useMigration(() => call<typeof imageKitApi.migrate>('POST /api/admin/migrate-to-imagekit'), {
    title: 'Migration to ImageKit',
    failure: 'Failed to migrate to ImageKit',
  })

export const useFreeLocal = () =>
  useMigration(() => call<typeof imageKitApi.freeLocal>('POST /api/admin/migrate-to-imagekit/free-local'), {
    title: 'Local copies removed',
    failure: 'Failed to remove local copies',
  })

export const useMoveBack = () =>
  useMigration(() => call<typeof imageKitApi.moveBack>('POST /api/admin/migrate-from-imagekit'), {
    title: 'Files moved back',
    failure: 'Failed to move files back',
  })

export function useStopMigration() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: () => call<typeof imageKitApi.stop>('POST /api/admin/migrate-to-imagekit/stop'),
    onError: (error) => toastError("Couldn't stop", messageOf(error, 'Please try again.'), connectionProblem(error)),
    onSettled: refresh,
  })
}
