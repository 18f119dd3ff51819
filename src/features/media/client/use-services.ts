import { useQuery } from '@tanstack/react-query'
import { mediaQueries } from './queries.ts'

/** Until the server has answered, the usual installation is assumed: the built-in AI, and nothing optional. */
export function useServices() {
  const { data } = useQuery(mediaQueries.services())
  return (
    data ?? { hasAi: true, hasBackgroundRemoval: false, hasImageKit: false, aiLanguage: 'en', writtenLanguages: ['en'] }
  )
}
