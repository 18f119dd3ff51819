import { storedChoice } from '#ui/stored-choice.ts'

const kept = 6

/** A choice in the palette. Its label is kept too, because an item can only be found again by searching for it. */
export type RecentChoice = { id: string; label: string }

const stored = (userId: number) => storedChoice(`albumen-recent-commands-${userId}`)

/** What this user chose in the palette of this browser, the latest first. */
export function readRecentChoices(userId: number): RecentChoice[] {
  try {
    const list: unknown = JSON.parse(stored(userId).read() ?? '[]')
    return Array.isArray(list) ? list.filter(isChoice) : []
  } catch {
    return []
  }
}

export function rememberChoice(userId: number, { id, label }: RecentChoice) {
  const others = readRecentChoices(userId).filter((other) => other.id !== id)
  stored(userId).write(JSON.stringify([{ id, label }, ...others].slice(0, kept)))
}

const isChoice = (value: unknown): value is RecentChoice => {
  const { id, label } = (value ?? {}) as Partial<RecentChoice>
  return typeof id === 'string' && typeof label === 'string'
}
