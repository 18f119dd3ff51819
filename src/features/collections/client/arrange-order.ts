/** Whether both hold the same items, in any order. */
export function isSameSet(order: readonly number[], ids: readonly number[]): boolean {
  const known = new Set(order)
  return order.length === ids.length && ids.every((id) => known.has(id))
}

/** The order after the item was moved to the index. */
export function moveTo(order: readonly number[], id: number, index: number): number[] {
  const rest = order.filter((each) => each !== id)
  return rest.toSpliced(index, 0, id)
}

/** The item that now follows, which is how the server expects a position; null at the end. */
export function followerOf(order: readonly number[], id: number): number | null {
  return order[order.indexOf(id) + 1] ?? null
}
