import type { QueryClient } from '@tanstack/react-query'
import type { Media } from '../contract.ts'

export const favoriteKey = ['favorite'] as const

export type FavoriteChange = { id: number; isFavorite: boolean }

const pendingFavorites = (client: QueryClient, id: number) =>
  client
    .getMutationCache()
    .findAll({ mutationKey: favoriteKey, status: 'pending' })
    .map(({ state }) => state.variables as FavoriteChange)
    .filter((change) => change.id === id)

/** Whether only one change of this favorite is pending. */
export const isOnlyPendingFavorite = (client: QueryClient, id: number) => pendingFavorites(client, id).length === 1

/** Applies the latest pending favorite to an item from the server, whose response may be older. */
export function withPendingFavorite<Item extends Media>(client: QueryClient, media: Item): Item {
  const change = pendingFavorites(client, media.id).at(-1)
  return change ? { ...media, isFavorite: change.isFavorite } : media
}
