import { setImmediate as breathe } from 'node:timers/promises'
import { countBits } from './sketch.ts'

export type Hashed = { id: number; hash: string }

/** Up to six of 64 bits differ between two versions of one picture; five leaves less to chance. */
const mostDifferentBits = 5
/** One more than the bits that may differ: then two near hashes agree in at least one part. */
const parts = 6
const partValues = 2048
/** A picture without light and shade has a hash without bits, and nearly all such hashes are alike. */
const fewestTellingBits = 4
/** About a millisecond of comparing. */
const comparedAtOnce = 100_000
const readAtOnce = 5000
/** A part that half the library shares tells nothing; only so many of its hashes are compared. */
const mostPerPart = 2000

type Hashes = { high: Uint32Array; low: Uint32Array; ids: number[][] }

/**
 * Groups of items whose perceptual hashes nearly agree. Only hashes that share one of six parts are compared, so the
 * cost grows with the library and not with its square; the server's thread is left free in between.
 */
export async function groupNearHashes(items: Hashed[]): Promise<number[][]> {
  const { high, low, ids } = await distinctHashes(items)
  const leader = Uint32Array.from(ids.keys())
  const find = (index: number): number => {
    while (leader[index] !== index) index = leader[index] = leader[leader[index]!]!
    return index
  }
  const isNear = (a: number, b: number) =>
    countBits(high[a]! ^ high[b]!) + countBits(low[a]! ^ low[b]!) <= mostDifferentBits
  let compared = 0
  for (let part = 0; part < parts; part++) {
    await breathe()
    const { order, ends } = sortByPart({ high, low, ids }, part)
    for (let value = 0; value < partValues; value++) {
      const start = value === 0 ? 0 : ends[value - 1]!
      const end = Math.min(ends[value]!, start + mostPerPart)
      for (let a = start; a < end; a++) {
        for (let b = a + 1; b < end; b++) if (isNear(order[a]!, order[b]!)) leader[find(order[b]!)] = find(order[a]!)
        compared += end - a
        if (compared > comparedAtOnce) {
          compared = 0
          await breathe()
        }
      }
    }
  }
  const groups = new Map<number, number[]>()
  for (let index = 0; index < ids.length; index++) {
    const own = find(index)
    // Most pictures are like no other, and need no list of their own.
    if (own === index) continue
    const group = groups.get(own) ?? [...ids[own]!]
    group.push(...ids[index]!)
    groups.set(own, group)
  }
  const alone = ids.filter((same, index) => same.length > 1 && leader[index] === index && !groups.has(index))
  return [...groups.values(), ...alone]
}

async function distinctHashes(items: Hashed[]): Promise<Hashes> {
  const indexes = new Map<string, number>()
  const high = new Uint32Array(items.length)
  const low = new Uint32Array(items.length)
  const ids: number[][] = []
  for (const [at, { id, hash }] of items.entries()) {
    if (at % readAtOnce === 0) await breathe()
    const known = indexes.get(hash)
    if (known !== undefined) ids[known]!.push(id)
    const [first, second] = [Number.parseInt(hash.slice(0, 8), 16), Number.parseInt(hash.slice(8), 16)]
    if (known !== undefined || !isTelling(countBits(first) + countBits(second))) continue
    high[ids.length] = first
    low[ids.length] = second
    indexes.set(hash, ids.length)
    ids.push([id])
  }
  return { high: high.subarray(0, ids.length), low: low.subarray(0, ids.length), ids }
}

const isTelling = (bits: number) => bits >= fewestTellingBits && bits <= 64 - fewestTellingBits

/** Indexes in the order of one part's value, and where each value ends: a counting sort. */
function sortByPart({ high, low }: Hashes, part: number) {
  const half = part < 3 ? high : low
  // Parts of 11, 11 and 10 bits in each half.
  const shift = (part % 3) * 11
  const ends = new Uint32Array(partValues)
  for (const bits of half) ends[(bits >>> shift) & 0x7ff]!++
  for (let value = 1; value < partValues; value++) ends[value]! += ends[value - 1]!
  const next = ends.slice()
  const order = new Uint32Array(half.length)
  for (let index = half.length - 1; index >= 0; index--) order[--next[(half[index]! >>> shift) & 0x7ff]!] = index
  return { order, ends }
}
