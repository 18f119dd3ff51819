import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { z } from 'zod'
import { call, fetchResponse } from '#platform/client/call.ts'
import type { Address, ResponseOf, Route } from '#platform/contract.ts'
import { type databaseViewerApi, totalHeader } from '../contract.ts'

export const pageRows = 100

export type RowsView = { page: number; sort?: string; order: 'asc' | 'desc'; filter: string }

export const firstView: RowsView = { page: 1, order: 'asc', filter: '' }

export type Lists = Pick<typeof databaseViewerApi, 'media' | 'users' | 'collections' | 'relationships'>
export type RowOf<Name extends keyof Lists> = z.output<Lists[Name]['response']>[number]

export const databaseQueries = {
  stats: () =>
    queryOptions({
      queryKey: ['database', 'stats'] as const,
      queryFn: ({ signal }) => call<typeof databaseViewerApi.stats>('GET /api/database/stats', undefined, { signal }),
    }),
  rows: <Name extends keyof Lists>(name: Name, view: RowsView) =>
    queryOptions({
      queryKey: ['database', name, view] as const,
      queryFn: ({ signal }) => fetchRows<Lists[Name]>(`GET /api/database/${name}`, view, signal),
      // The last rows stay until the next ones are there.
      placeholderData: keepPreviousData,
    }),
}

/** The rows of a page, how many lie before them, and from the header how many there are in all. */
async function fetchRows<R extends Route = never>(
  address: Address<R>,
  { page, sort, order, filter }: RowsView,
  signal: AbortSignal,
) {
  const query = { limit: pageRows, offset: (page - 1) * pageRows, sort, order, filter }
  const response = await fetchResponse<R>(address, { query }, { signal })
  const rows = (await response.json()) as ResponseOf<R>
  return { rows, offset: query.offset, total: Number(response.headers.get(totalHeader)) }
}
