import { useQuery } from '@tanstack/react-query'
import { websiteQueries } from '#features/websites/client/queries.ts'
import { collectionQueries } from './queries.ts'

/** What the web names of a collection's items are made of, as far as it has loaded. */
export function useCollectionNaming(collectionId: number | undefined) {
  const { data: collections = [] } = useQuery(collectionQueries.summaries())
  const { data: known = [] } = useQuery(websiteQueries.list())
  const collection = collections.find(({ id }) => id === collectionId)
  const website = known.find(({ id }) => id === collection?.websiteId)
  return { collection: collection?.name, website: website?.name, pattern: website?.namePattern || undefined }
}
