import type { Candidate, Origin, Sighting } from './found-image.ts'
import { isForeignFormat, resolvePicture } from './image-address.ts'
import { readPictureAddress } from './picture-address.ts'

/** A candidate whose address was resolved and read. */
export type Version = {
  href: string
  key: string
  fileName: string
  origin: Origin | 'original'
  width?: number
  height?: number
  density?: number
  /** A MIME type, where the page states one. */
  type?: string
  isReduced: boolean
  /** The library cannot take this format. */
  isForeign: boolean
}

/** One sighting with the versions that it offers; `order` counts those of the page. */
export type SeenPicture = { sighting: Sighting; versions: Version[]; order: number }

/** All sightings of one picture, and all versions they offer. */
export type Picture = { sightings: Sighting[]; versions: Version[]; seen: SeenPicture[] }

/** Groups sightings that share a version, in any size, into one picture; the order is that of the first sighting. */
export function groupSightings(sightings: Sighting[], base: URL): Picture[] {
  const seen = sightings.map((sighting) => ({ sighting, versions: readVersions(sighting, base), order: 0 }))
  const groups = createDisjointSet(seen.length)
  const ownerOfKey = new Map<string, number>()
  for (const [index, { versions }] of seen.entries()) {
    for (const { key } of versions) {
      const owner = ownerOfKey.get(key)
      if (owner === undefined) ownerOfKey.set(key, index)
      else groups.unite(owner, index)
    }
  }
  const pictures = new Map<number, Picture>()
  let order = 0
  for (const [index, one] of seen.entries()) {
    const { sighting, versions } = one
    if (versions.length === 0) continue
    if (sighting.display && sighting.source !== 'css') one.order = order++
    const root = groups.rootOf(index)
    const picture = pictures.get(root) ?? { sightings: [], versions: [], seen: [] }
    picture.sightings.push(sighting)
    picture.seen.push(one)
    for (const version of versions) picture.versions.push(version)
    pictures.set(root, picture)
  }
  return [...pictures.values()]
}

function readVersions(sighting: Sighting, base: URL): Version[] {
  const versions = sighting.candidates.flatMap((candidate) => readCandidate(candidate, base))
  return withoutInlineCopies(withoutPlaceholder(versions))
}

function readCandidate(candidate: Candidate, base: URL): Version[] {
  const url = resolvePicture(candidate.address, base, candidate.origin === 'lazy')
  if (!url) return []
  const { original, ...address } = readPictureAddress(url)
  const version: Version = {
    ...address,
    href: url.href,
    origin: candidate.origin,
    width: candidate.width ?? address.width,
    height: candidate.height ?? (candidate.width ? undefined : address.height),
    density: candidate.density ?? address.density,
    type: candidate.type,
    isForeign: isForeignFormat(url, candidate.type),
  }
  const originalUrl = original ? resolvePicture(original, base) : undefined
  if (!originalUrl) return [version]
  const { key, fileName } = version
  const isForeign = isForeignFormat(originalUrl)
  return [{ href: originalUrl.href, key, fileName, origin: 'original', isReduced: false, isForeign }, version]
}

/** Where a lazy attribute holds the picture, a `src` that is no version of it holds a stand-in shared by many. */
function withoutPlaceholder(versions: Version[]): Version[] {
  if (!versions.some(({ origin }) => origin === 'lazy')) return versions
  const trueKeys = new Set(versions.filter(({ origin }) => origin !== 'src').map(({ key }) => key))
  return versions.filter(({ origin, key }) => origin !== 'src' || trueKeys.has(key))
}

/** A picture inside the page is a blurred stand-in when there is an address as well. */
function withoutInlineCopies(versions: Version[]): Version[] {
  const remote = versions.filter(({ href }) => !href.startsWith('data:'))
  return remote.length > 0 ? remote : versions
}

/** Union-find over 0…size-1; the smallest member stands for its set. */
function createDisjointSet(size: number) {
  const parents = Array.from({ length: size }, (_, index) => index)
  function rootOf(index: number): number {
    let root = index
    while (parents[root] !== root) {
      parents[root] = parents[parents[root]!]!
      root = parents[root]!
    }
    return root
  }
  function unite(a: number, b: number) {
    const [rootA, rootB] = [rootOf(a), rootOf(b)]
    parents[Math.max(rootA, rootB)] = Math.min(rootA, rootB)
  }
  return { rootOf, unite }
}
