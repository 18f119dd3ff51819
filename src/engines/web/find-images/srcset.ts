import type { Candidate, Origin } from './found-image.ts'

const maxCandidates = 50

/** The candidates of a `srcset`, read as browsers read it: an address ends at white space, and may hold commas. */
export function parseSrcset(srcset: string, origin: Origin): Candidate[] {
  const candidates: Candidate[] = []
  const addressPattern = /[\s,]*([^\s,]\S*)/y
  let position = 0
  while (candidates.length < maxCandidates) {
    addressPattern.lastIndex = position
    const match = addressPattern.exec(srcset)
    if (!match) break
    position = addressPattern.lastIndex
    const address = withoutEndCommas(match[1]!)
    if (address !== match[1]) {
      candidates.push({ address, origin })
      continue
    }
    const end = endOfDescriptors(srcset, position)
    candidates.push({ address, origin, ...readDescriptors(srcset.slice(position, Math.min(end, position + 100))) })
    position = end + 1
  }
  return candidates
}

function withoutEndCommas(address: string): string {
  let end = address.length
  while (address[end - 1] === ',') end--
  return address.slice(0, end)
}

function endOfDescriptors(srcset: string, from: number): number {
  const comma = srcset.indexOf(',', from)
  return comma < 0 ? srcset.length : comma
}

function readDescriptors(text: string): { width?: number; density?: number } {
  const width = /(?:^|\s)(\d{1,6})w(?:\s|$)/.exec(text)?.[1]
  if (width) return { width: Number(width) }
  const density = /(?:^|\s)(\d{1,3}(?:\.\d{1,6})?)x(?:\s|$)/.exec(text)?.[1]
  return density ? { density: Number(density) } : {}
}
