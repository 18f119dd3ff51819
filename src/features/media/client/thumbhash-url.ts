import { thumbHashToDataURL } from 'thumbhash'

/** A few kilobytes each: more than a screen shows, without keeping everything ever scrolled past. */
const maxCached = 1000
const known = new Map<string, string>()

/** A blurred placeholder shown until the thumbnail loads. Each hash is decoded once while it is cached. */
export function thumbhashUrl(thumbhash: string | null): string | undefined {
  if (!thumbhash) return undefined
  const url = known.get(thumbhash) ?? decode(thumbhash)
  known.set(thumbhash, url)
  if (known.size > maxCached) known.delete(known.keys().next().value!)
  return url
}

function decode(thumbhash: string) {
  const bytes = Uint8Array.from(atob(thumbhash), (character) => character.charCodeAt(0))
  return thumbHashToDataURL(bytes)
}
