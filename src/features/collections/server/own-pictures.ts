import { invalid } from '#platform/errors.ts'
import { type Branding, noPictureAddress } from '../contract.ts'

/**
 * An address of the library's own that is written whole becomes its path: by that the picture is known, and shown to
 * visitors wherever they reach the library.
 */
export function shortenOwn(branding: Branding, origins: string[]): Branding {
  const shortened = { ...branding }
  for (const field of ['logoUrl', 'headerImage'] as const) {
    const address = branding[field]
    const own = origins.find((origin) => address?.startsWith(`${origin}/files/`))
    if (own) shortened[field] = address?.slice(own.length)
    else if (/^http:/i.test(address ?? '')) throw invalid(`${field}: ${noPictureAddress}`, { field })
  }
  return shortened
}
