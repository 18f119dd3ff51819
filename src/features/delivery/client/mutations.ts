import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call, causeOf } from '#platform/client/call.ts'
import { toastError } from '#ui/notices/toast.ts'
import type { deliveryApi, Preset } from '../contract.ts'
import { deliveryQueries } from './queries.ts'

type Saved = { preset: Preset; isNew: boolean }

export function useSavePreset() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: ({ preset: { name, ...changes }, isNew }: Saved) =>
      isNew
        ? call<typeof deliveryApi.createPreset>('POST /api/presets', { body: { name, ...changes } })
        : call<typeof deliveryApi.changePreset>('PATCH /api/presets/:name', { params: { name }, body: changes }),
    onSuccess: refresh,
  })
}

export function useRemovePreset() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (name: string) =>
      call<typeof deliveryApi.removePreset>('DELETE /api/presets/:name', { params: { name } }),
    onSuccess: refresh,
    onError: (error) => toastError('Delete failed', "Couldn't delete the preset.", causeOf(error)),
  })
}

export function useChangeSettings() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (body: { indexesPages: boolean }) =>
      call<typeof deliveryApi.changeSettings>('PATCH /api/delivery/settings', { body }),
    onSettled: refresh,
    onError: (error) => toastError('Update failed', "Couldn't save the setting.", causeOf(error)),
  })
}

function useRefresh() {
  const queryClient = useQueryClient()
  return () => queryClient.invalidateQueries({ queryKey: deliveryQueries.all() })
}
