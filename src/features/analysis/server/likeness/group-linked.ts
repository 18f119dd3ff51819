/** Groups items that are linked directly or through others. An item without links is in no group. */
export function groupLinked<T>(items: readonly T[], isLinked: (one: T, other: T) => boolean): T[][] {
  const groups: T[][] = []
  let left = [...items]
  while (left.length > 1) {
    const group = left.splice(0, 1)
    for (const member of group) {
      const parts = Object.groupBy(left, (other) => (isLinked(member, other) ? 'linked' : 'apart'))
      for (const other of parts.linked ?? []) group.push(other)
      left = parts.apart ?? []
    }
    if (group.length > 1) groups.push(group)
  }
  return groups
}
