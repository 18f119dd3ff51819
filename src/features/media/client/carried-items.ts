import type { Point } from './rectangle.ts'
import type { Selection } from './selection.ts'

/** What is on its way under the pointer, to be let go over a collection. */
export type Carried = { mediaIds: readonly number[]; from: Point; begunAt: number; selection: Selection }

/** Lines that name a collection say which one by this. */
export const collectionMark = 'data-collection-id'

/** What a press on a picture or a row takes along when it moves: the item, or with it all that are selected. */
export function itemsUnder(target: Element, { isActive, ids }: Selection): readonly number[] {
  const pressed = target.closest('button, input, tr[data-media-id]')
  // Where the sidebar has no room for its collections, there is nowhere to carry anything.
  if (!pressed?.matches('[data-carries], tr') || !document.querySelector(`[${collectionMark}]`)) return []
  const id = Number(pressed.closest<HTMLElement>('[data-media-id]')?.dataset.mediaId)
  if (!isActive) return [id]
  return ids.has(id) ? [...ids] : []
}
