import type { Point } from './rectangle.ts'
import type { Selection } from './selection.ts'

/** The items being dragged to a collection. */
export type Carried = { mediaIds: readonly number[]; from: Point; begunAt: number; selection: Selection }

/** The attribute with the collection id on links that accept dropped items. */
export const collectionMark = 'data-collection-id'

/** The items that a drag from this element moves: the item itself, or all selected ones if it is selected. */
export function itemsUnder(target: Element, { isActive, ids }: Selection): readonly number[] {
  const pressed = target.closest('button, input, tr[data-media-id]')
  // Where the sidebar shows no collections there is no drop target.
  if (!pressed?.matches('[data-carries], tr') || !document.querySelector(`[${collectionMark}]`)) return []
  const id = Number(pressed.closest<HTMLElement>('[data-media-id]')?.dataset.mediaId)
  if (!isActive) return [id]
  return ids.has(id) ? [...ids] : []
}
