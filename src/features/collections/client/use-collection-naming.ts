import { queryOptions, useQuery } from '@tanstack/react-query'
import type { websitesApi } from '#features/websites/contract.ts'
import { call } from '#platform/client/call.ts'
import { collectionQueries } from './queries.ts'

const websites = queryOptions({
  queryKey: ['websites'],
  queryFn: ({ signal }) => call<typeof websitesApi.list>('GET /api/websites', undefined, { signal }),
})

/** What the web names of a collection's items are made of, as far as it has loaded. */
export function useCollectionNaming(collectionId: number | undefined) {
  const { data: collections = [] } = useQuery(collectionQueries.summaries())
  const { data: known = [] } = useQuery(websites)
  const collection = collections.find(({ id }) => id === collectionId)
  const website = known.find(({ id }) => id === collection?.websiteId)
  return { collection: collection?.name, website: website?.name, pattern: website?.namePattern || undefined }
}
