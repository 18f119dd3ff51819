import type { Media } from '#features/media/contract.ts'
import type { Product } from './product.ts'

/** Puts items into a collection of their own that anybody may see; says where. */
export async function shareAll(product: Product, media: Media[]) {
  const { id } = await product.send<{ id: number }>('POST', '/api/collections', { name: 'A summer by the sea' })
  for (const item of media) await product.send('POST', `/api/collections/${id}/media/${item.id}`)
  const visibility = { isPublic: true }
  const shared = await product.send<{ publicSlug: string }>('PATCH', `/api/collections/${id}/visibility`, visibility)
  return `/public/collections/${shared.publicSlug}`
}
