import type { QueryClient } from '@tanstack/react-query'
import type { Media } from '../contract.ts'

export const favoriteKey = ['favorite'] as const

export type FavoriteWish = { id: number; isFavorite: boolean }

const wishesFor = (client: QueryClient, id: number) =>
  client
    .getMutationCache()
    .findAll({ mutationKey: favoriteKey, status: 'pending' })
    .map(({ state }) => state.variables as FavoriteWish)
    .filter((wish) => wish.id === id)

/** Whether the heart was pressed once only since the server last answered for it. */
export const isOnlyWish = (client: QueryClient, id: number) => wishesFor(client, id).length === 1

/** An item as it was answered, with the heart that was pressed last: as long as that is on its way the server may not know. */
export function withWish<Item extends Media>(client: QueryClient, media: Item): Item {
  const wish = wishesFor(client, media.id).at(-1)
  return wish ? { ...media, isFavorite: wish.isFavorite } : media
}
