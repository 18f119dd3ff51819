import { splitExtension } from './filename.ts'

/** A name that is taken, with the number that sets it apart. */
type Numbered = (name: string, count: number) => string

const inBrackets: Numbered = (name, count) => {
  const { stem, extension } = splitExtension(name)
  return `${stem} (${count})${extension}`
}

/** Gives each of many a name of its own: two of one name stand side by side as "beach.jpg" and "beach (2).jpg". */
export function createFreeNames(numbered = inBrackets) {
  const taken = new Set<string>()
  /** Where the count of a name goes on: ten thousand of one name are not counted ten thousand times. */
  const counts = new Map<string, number>()
  return (wanted: string) => {
    const key = wanted.toLowerCase()
    let name = wanted
    let count = counts.get(key) ?? 1
    while (taken.has(name.toLowerCase())) name = numbered(wanted, ++count)
    counts.set(key, count)
    taken.add(name.toLowerCase())
    return name
  }
}
