import { keepPreviousData, queryOptions, skipToken } from '@tanstack/react-query'
import { call } from '#platform/client/call.ts'
import type { auditApi } from '../contract.ts'
import type { Problem } from '../problems.ts'

export type PictureView = { page: number; onPage?: number; problem?: Problem }

export const picturesPerPage = 25

/** For events that got lost. */
const silenceMs = 5000

export const auditQueries = {
  all: () => ['audits'] as const,
  list: () =>
    queryOptions({
      queryKey: [...auditQueries.all(), 'list'],
      queryFn: ({ signal }) => call<typeof auditApi.list>('GET /api/audits', undefined, { signal }),
    }),
  one: (id: number) =>
    queryOptions({
      queryKey: [...auditQueries.all(), id],
      queryFn: ({ signal }) => call<typeof auditApi.get>('GET /api/audits/:id', { params: { id } }, { signal }),
      refetchInterval: ({ state: { data } }) =>
        data?.progress.isRunning || data?.measuring?.isRunning ? silenceMs : false,
    }),
  /** The number of the audit that was started for an analyzed page; written by `useStartAudit`. */
  ofPage: (pageUrl: string) =>
    queryOptions<number>({ queryKey: ['audit-of-page', pageUrl], queryFn: skipToken, staleTime: Infinity }),
  pictures: (id: number, view: PictureView) =>
    queryOptions({
      queryKey: [...auditQueries.all(), id, 'pictures', view],
      queryFn: ({ signal }) =>
        call<typeof auditApi.pictures>(
          'GET /api/audits/:id/pictures',
          { params: { id }, query: { ...view, limit: picturesPerPage } },
          { signal },
        ),
      placeholderData: keepPreviousData,
    }),
}
