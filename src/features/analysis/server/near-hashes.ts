import { setImmediate as breathe } from 'node:timers/promises'
import { countBits } from './sketch.ts'

export type Hashed = { id: number; hash: string }

/** Up to six of 64 bits differ between two versions of one picture; five leaves less to chance. */
const mostDifferentBits = 5
/** One more than the bits that may differ: then two near hashes agree in at least one part. */
const parts = 6
/** A picture without light and shade has a hash without bits, and nearly all such hashes are alike. */
const fewestTellingBits = 4
const comparedAtOnce = 200_000
/** A part that half the library shares tells nothing; only so many of its hashes are compared. */
const mostPerPart = 2000

type Hash = { high: number; low: number; ids: number[] }

/**
 * Groups of items whose perceptual hashes nearly agree. Only hashes that share one of six parts are compared, so the
 * cost grows with the library and not with its square; the server's thread is left free in between.
 */
export async function groupNearHashes(items: Hashed[]): Promise<number[][]> {
  const hashes = distinctHashes(items)
  const leader = hashes.map((_, index) => index)
  const find = (index: number): number => {
    while (leader[index] !== index) index = leader[index] = leader[leader[index]!]!
    return index
  }
  let compared = 0
  for (let part = 0; part < parts; part++) {
    for (const bucket of bucketsOf(hashes, part)) {
      for (let a = 0; a < bucket.length; a++) {
        for (let b = a + 1; b < bucket.length; b++) {
          if (distance(hashes[bucket[a]!]!, hashes[bucket[b]!]!) <= mostDifferentBits)
            leader[find(bucket[b]!)] = find(bucket[a]!)
        }
        compared += bucket.length
        if (compared > comparedAtOnce) {
          compared = 0
          await breathe()
        }
      }
    }
  }
  const groups = Map.groupBy(hashes.keys(), find)
  return [...groups.values()]
    .map((group) => group.flatMap((index) => hashes[index]!.ids))
    .filter((ids) => ids.length > 1)
}

function distinctHashes(items: Hashed[]): Hash[] {
  const byHash = Map.groupBy(items, ({ hash }) => hash)
  return [...byHash]
    .map(([hash, same]) => ({
      high: Number.parseInt(hash.slice(0, 8), 16),
      low: Number.parseInt(hash.slice(8), 16),
      ids: same.map(({ id }) => id),
    }))
    .filter(isTelling)
}

function isTelling({ high, low }: Hash) {
  const bits = countBits(high) + countBits(low)
  return bits >= fewestTellingBits && bits <= 64 - fewestTellingBits
}

function bucketsOf(hashes: Hash[], part: number) {
  const buckets = Map.groupBy(hashes.keys(), (index) => partOf(hashes[index]!, part))
  return [...buckets.values()].map((bucket) => bucket.slice(0, mostPerPart))
}

/** Parts of 11, 11, 10, 11, 11 and 10 bits: three of each half. */
function partOf({ high, low }: Hash, part: number) {
  const half = part < 3 ? high : low
  return (half >>> ((part % 3) * 11)) & 0x7ff
}

const distance = (a: Hash, b: Hash) => countBits(a.high ^ b.high) + countBits(a.low ^ b.low)
