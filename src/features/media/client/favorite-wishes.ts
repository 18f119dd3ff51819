import type { QueryClient } from '@tanstack/react-query'
import type { Media } from '../contract.ts'

export const favoriteKey = ['favorite'] as const

export type FavoriteWish = { id: number; isFavorite: boolean }

/** An item as it was answered, with the heart that was pressed last: as long as that is on its way the server may not know. */
export function withWish(client: QueryClient, media: Media): Media {
  const wishes = client.getMutationCache().findAll({ mutationKey: favoriteKey, status: 'pending' })
  const wish = wishes.map(({ state }) => state.variables as FavoriteWish).findLast(({ id }) => id === media.id)
  return wish ? { ...media, isFavorite: wish.isFavorite } : media
}
