import { storedChoice } from '#ui/stored-choice.ts'

const kept = 8

const stored = (userId: number) => storedChoice(`albumen-recent-searches-${userId}`)

/** What this user searched for in this browser, the latest first. */
export function readRecentSearches(userId: number): string[] {
  try {
    const list: unknown = JSON.parse(stored(userId).read() ?? '[]')
    return Array.isArray(list) ? list.filter((each) => typeof each === 'string') : []
  } catch {
    return []
  }
}

export function rememberSearch(userId: number, search: string) {
  if (search !== '') write(userId, [search, ...without(userId, search)])
}

export const forgetSearch = (userId: number, search: string) => write(userId, without(userId, search))

export const forgetAllSearches = (userId: number) => write(userId, [])

const without = (userId: number, search: string) => readRecentSearches(userId).filter((each) => each !== search)

const write = (userId: number, searches: string[]) => stored(userId).write(JSON.stringify(searches.slice(0, kept)))
