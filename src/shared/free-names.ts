/** Gives each file of an archive a name of its own: two of one name stand side by side as "beach.jpg" and "beach (2).jpg". */
export function createFreeNames() {
  const taken = new Set<string>()
  /** Where the count of a name goes on: ten thousand of one name are not counted ten thousand times. */
  const counts = new Map<string, number>()
  return (stem: string, extension: string) => {
    const wanted = stem + extension
    const key = wanted.toLowerCase()
    let name = wanted
    let count = counts.get(key) ?? 1
    while (taken.has(name.toLowerCase())) name = `${stem} (${++count})${extension}`
    counts.set(key, count)
    taken.add(name.toLowerCase())
    return name
  }
}
