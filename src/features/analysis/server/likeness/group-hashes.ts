import { groupLinked } from './group-linked.ts'
import { countBits } from './sketch.ts'

/** A library's hashes as long strings, which are cheaper to send to a thread than arrays. */
export type LibraryHashes = {
  /** `id:hash` of every picture, separated by spaces. */
  hashes: string[]
  /** The ids of items with identical bytes, one string for each group. */
  sameBytes: string[]
  /** `id:id` of items that the user marked as different, the lower id first. */
  different: string
  /** `id:first` of items that were derived from others, separated by spaces. */
  versions: string
}

/** Two versions of a picture differ in up to six of 64 bits. Five reduces false matches. */
const maxDifferentBits = 5
/** Two more than the bits that may differ, so that two near hashes agree in at least two parts. */
const parts = 7
/** Each part has nine bits, and the last has ten. */
const partBits = 9
/** The hash of a picture without contrast has almost no bits set, so nearly all such hashes match each other. */
const minDistinctiveBits = 4
/** Parts shared by half of the library are not distinctive, so only this many of their hashes are compared. */
const maxPerKey = 2000

/**
 * Groups items that may show the same picture. The newest item comes first, and groups are sorted by it. Takes about a second
 * for a very large library.
 */
export function groupHashes({ hashes, sameBytes, different, versions }: LibraryHashes): number[][] {
  const union = createUnion()
  uniteNear(union, readHashes(union, hashes))
  for (const same of sameBytes) {
    const [first, ...others] = same.split(' ').map((id) => union.add(Number(id)))
    for (const other of others) union.unite(first!, other)
  }
  const groups = keepApart(withoutVersions(union.groups(), versions), different)
  for (const ids of groups) ids.sort((a, b) => b - a)
  return groups.sort((a, b) => b[0]! - a[0]!)
}

type Union = ReturnType<typeof createUnion>

/** A union-find structure of items that belong together, directly or through others. */
function createUnion() {
  const ids: number[] = []
  const parents: number[] = []
  const indexes = new Map<number, number>()
  const find = (index: number): number => {
    while (parents[index] !== index) index = parents[index] = parents[parents[index]!]!
    return index
  }
  return {
    add(id: number): number {
      const known = indexes.get(id)
      if (known !== undefined) return known
      indexes.set(id, ids.length)
      parents.push(ids.length)
      return ids.push(id) - 1
    },
    unite(one: number, other: number) {
      parents[find(other)] = find(one)
    },
    groups(): number[][] {
      const groups = new Map<number, number[]>()
      for (let index = 0; index < ids.length; index++) {
        const own = find(index)
        // Most pictures match no other and need no list of their own.
        if (own === index) continue
        const group = groups.get(own)
        if (group) group.push(ids[index]!)
        else groups.set(own, [ids[own]!, ids[index]!])
      }
      return [...groups.values()]
    },
  }
}

/** The distinct hashes in two halves, with the first item of each. */
type Hashes = { high: Uint32Array; low: Uint32Array; items: Uint32Array }

/** Items with the same hash are united immediately. */
function readHashes(union: Union, entries: string[]): Hashes {
  const known = new Map<string, number>()
  const [high, low, items]: [number[], number[], number[]] = [[], [], []]
  for (const entry of entries.flatMap((piece) => piece.split(' '))) {
    const colon = entry.indexOf(':')
    const hash = entry.slice(colon + 1)
    const first = Number.parseInt(hash.slice(0, 8), 16)
    const second = Number.parseInt(hash.slice(8), 16)
    if (!isDismissing(countBits(first) + countBits(second))) continue
    const item = union.add(Number(entry.slice(0, colon)))
    const same = known.get(hash)
    if (same !== undefined) {
      union.unite(same, item)
      continue
    }
    known.set(hash, item)
    high.push(first)
    low.push(second)
    items.push(item)
  }
  return { high: Uint32Array.from(high), low: Uint32Array.from(low), items: Uint32Array.from(items) }
}

const isDismissing = (bits: number) => bits >= minDistinctiveBits && bits <= 64 - minDistinctiveBits

/**
 * Compares only hashes that share two of seven parts. Few do, even among photographs that begin with a sky, so the cost grows
 * with the size of the library and not with its square.
 */
function uniteNear(union: Union, hashes: Hashes) {
  const { high, low, items } = hashes
  const values = Array.from({ length: parts }, (_, part) => valuesOf(hashes, part))
  for (let first = 0; first < parts; first++) {
    for (let second = first + 1; second < parts; second++) {
      const { order, ends } = sortByTwo(values[first]!, values[second]!)
      let start = 0
      for (const end of ends) {
        if (end > start + 1) compare(order, start, Math.min(end, start + maxPerKey))
        start = end
      }
    }
  }

  function compare(order: Uint32Array, start: number, end: number) {
    for (let at = start; at < end; at++) {
      const one = order[at]!
      const [oneHigh, oneLow] = [high[one]!, low[one]!]
      for (let next = at + 1; next < end; next++) {
        const other = order[next]!
        const apart = countBits(oneHigh ^ high[other]!) + countBits(oneLow ^ low[other]!)
        if (apart <= maxDifferentBits) union.unite(items[one]!, items[other]!)
      }
    }
  }
}

/** One part of every hash. */
function valuesOf({ high, low }: Hashes, part: number) {
  const from = part * partBits
  const mask = part === parts - 1 ? 2 ** (partBits + 1) - 1 : 2 ** partBits - 1
  const values = new Uint16Array(high.length)
  for (let index = 0; index < values.length; index++) {
    const [above, below] = [high[index]!, low[index]!]
    // The middle part lies across both halves.
    const bits = from >= 32 ? above >>> (from - 32) : from === 0 ? below : (below >>> from) | (above << (32 - from))
    values[index] = bits & mask
  }
  return values
}

/**
 * Counting sort of the indexes by a key made of two parts, with the end of each key. There are about as many keys as hashes;
 * a few collisions only cost extra comparisons.
 */
function sortByTwo(first: Uint16Array, second: Uint16Array) {
  const keyBits = Math.ceil(Math.log2(first.length + 2))
  const keys = new Uint32Array(first.length)
  const ends = new Uint32Array(2 ** keyBits)
  for (let index = 0; index < keys.length; index++) {
    // Multiplying by the golden ratio mixes every bit of both parts into the upper bits.
    const key = Math.imul((first[index]! << 16) | second[index]!, 0x9e3779b1) >>> (32 - keyBits)
    keys[index] = key
    ends[key]!++
  }
  for (let key = 1; key < ends.length; key++) ends[key]! += ends[key - 1]!
  const next = ends.slice()
  const order = new Uint32Array(keys.length)
  for (let index = keys.length - 1; index >= 0; index--) order[--next[keys[index]!]!] = index
  return { order, ends }
}

/** Keeps the oldest of several versions of one picture; a group of nothing else is none. */
function withoutVersions(groups: number[][], versions: string): number[][] {
  if (versions === '') return groups
  const firsts = new Map(versions.split(' ').map((pair) => pair.split(':').map(Number) as [number, number]))
  return groups
    .map((ids) => {
      const oldest = new Map<number, number>()
      for (const id of ids) {
        const first = firsts.get(id) ?? id
        oldest.set(first, Math.min(id, oldest.get(first) ?? id))
      }
      return oldest.size < ids.length ? [...oldest.values()] : ids
    })
    .filter((ids) => ids.length > 1)
}

/** Splits groups where the user marked items as different. */
function keepApart(groups: number[][], pairs: string): number[][] {
  if (pairs === '') return groups
  const different = new Set(pairs.split(' '))
  const separatedIds = new Set(pairs.split(/[ :]/).map(Number))
  return groups.flatMap((ids) =>
    ids.some((id) => separatedIds.has(id))
      ? groupLinked(ids, (one, other) => !different.has(`${Math.min(one, other)}:${Math.max(one, other)}`))
      : [ids],
  )
}
