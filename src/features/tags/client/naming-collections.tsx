import { useQuery } from '@tanstack/react-query'
import { Alert } from '#ui/alert.tsx'
import { tagQueries } from './queries.ts'

/** Tells which smart collections search for a tag that is about to go. */
export function NamingCollections({ tag, isMerged = false }: { tag: string; isMerged?: boolean }) {
  const { data } = useQuery(tagQueries.one(tag))
  const names = data?.collections ?? []
  if (names.length === 0) return null
  return (
    <Alert
      tone="info"
      title={names.length === 1 ? 'A smart collection searches for this tag' : 'Smart collections search for this tag'}
    >
      {names.join(', ')}:{' '}
      {isMerged
        ? 'the search changes to the other tag.'
        : 'change the search afterwards, or it no longer finds these items.'}
    </Alert>
  )
}
