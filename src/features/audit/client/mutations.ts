import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { reviewAddress } from '#features/analysis/client/tool-address.ts'
import type { analysisApi } from '#features/analysis/contract.ts'
import { refreshMedia } from '#features/media/client/mutations.ts'
import { followRun } from '#features/scraper/client/follow-run.ts'
import type { RunProgress } from '#features/scraper/contract.ts'
import { call, causeOf } from '#platform/client/call.ts'
import { newRunId } from '#platform/client/run-id.ts'
import { toast, toastError, toastSuccess } from '#ui/notices/toast.ts'
import type { Audit, auditApi } from '../contract.ts'
import { auditQueries } from './queries.ts'

function useRefreshAudits() {
  const queryClient = useQueryClient()
  return () => queryClient.invalidateQueries({ queryKey: auditQueries.all() })
}

/** The form shows what is wrong with its fields. */
export function useStartAudit() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (body: { urls?: string[]; sitemapUrl?: string }) =>
      call<typeof auditApi.create>('POST /api/audits', { body }),
    onSuccess: (audit) => {
      queryClient.setQueryData(auditQueries.one(audit.id).queryKey, audit)
      return queryClient.invalidateQueries({ queryKey: auditQueries.list().queryKey })
    },
  })
}

export function useStopAudit({ id }: Pick<Audit, 'id'>) {
  const refresh = useRefreshAudits()
  return useMutation({
    mutationFn: () => call<typeof auditApi.stop>('POST /api/audits/:id/stop', { params: { id } }),
    onError: (error) => toastError("Couldn't stop", causeOf(error)),
    onSettled: refresh,
  })
}

export function useResumeAudit({ id }: Pick<Audit, 'id'>) {
  const refresh = useRefreshAudits()
  return useMutation({
    mutationFn: () => call<typeof auditApi.resume>('POST /api/audits/:id/resume', { params: { id } }),
    onError: (error) => toastError("Couldn't resume", causeOf(error)),
    onSettled: refresh,
  })
}

export function useMeasure({ id }: Pick<Audit, 'id'>) {
  const refresh = useRefreshAudits()
  return useMutation({
    mutationFn: (pictures: string[]) =>
      call<typeof auditApi.measure>('POST /api/audits/:id/measure', { params: { id }, body: { pictures } }),
    onError: (error) => toastError("Couldn't measure", causeOf(error)),
    onSettled: refresh,
  })
}

/** Pending until the import has ended; it continues when the page is closed. */
export function useImport({ id }: Pick<Audit, 'id'>) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: async (chosen: { pictures: string[]; websiteId?: number }) => {
      const body = { ...chosen, namePattern: '' }
      const { runId } = await call<typeof auditApi.import>('POST /api/audits/:id/import', { params: { id }, body })
      let last: RunProgress | undefined
      const note = (progress?: RunProgress) => {
        last = progress ?? last
      }
      await followRun(runId, note, new AbortController().signal)
      return last
    },
    onSuccess: async (progress) => {
      const { successCount = 0, errorCount = 0 } = progress?.results ?? {}
      if (successCount === 0) toastError('Import failed', 'Failed to import the pictures.')
      else if (errorCount > 0) toast({ title: 'Import complete', description: progress?.message ?? '' })
      else toastSuccess('Import complete', progress?.message ?? '')
      await Promise.all([refreshMedia(queryClient), queryClient.invalidateQueries({ queryKey: auditQueries.all() })])
    },
    onError: (error) => toastError('Import failed', 'Failed to import the pictures.', causeOf(error)),
  })
}

type AltTexts = { mediaIds: number[]; languages: string[]; websiteId?: number }

/** Opens the review of what was written. */
export function useWriteAltTexts() {
  const [, navigate] = useLocation()
  return useMutation({
    mutationFn: (body: AltTexts) =>
      call<typeof analysisApi.bulkAltText>('POST /api/media/bulk-alt-text', { body: { ...body, runId: newRunId() } }),
    onSuccess: ({ message, run, summary }) => {
      if (summary.successful === 0) return toast({ title: 'No alt texts written', description: message })
      toastSuccess('Alt texts written', message)
      navigate(reviewAddress(run.runId))
    },
    onError: (error) => toastError("Couldn't write alt texts", causeOf(error)),
  })
}
