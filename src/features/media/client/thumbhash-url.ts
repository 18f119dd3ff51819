import { thumbHashToDataURL } from 'thumbhash'

/** Some kilobytes each: more than are seen at once, and not all that somebody ever scrolled past. */
const mostKnown = 1000
const known = new Map<string, string>()

/** A blurred picture of a few bytes, seen until the thumbnail is there. Decoded once per hash that is in use. */
export function thumbhashUrl(thumbhash: string | null): string | undefined {
  if (!thumbhash) return undefined
  const url = known.get(thumbhash) ?? decode(thumbhash)
  known.set(thumbhash, url)
  if (known.size > mostKnown) known.delete(known.keys().next().value!)
  return url
}

function decode(thumbhash: string) {
  const bytes = Uint8Array.from(atob(thumbhash), (character) => character.charCodeAt(0))
  return thumbHashToDataURL(bytes)
}
