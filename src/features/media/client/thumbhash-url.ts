import { thumbHashToDataURL } from 'thumbhash'

const known = new Map<string, string>()

/** A blurred picture of a few bytes, seen until the thumbnail is there. Decoded once per hash. */
export function thumbhashUrl(thumbhash: string | null): string | undefined {
  if (!thumbhash) return undefined
  const url = known.get(thumbhash) ?? decode(thumbhash)
  known.set(thumbhash, url)
  return url
}

function decode(thumbhash: string) {
  const bytes = Uint8Array.from(atob(thumbhash), (character) => character.charCodeAt(0))
  return thumbHashToDataURL(bytes)
}
