import { invalid } from '#platform/errors.ts'
import { Branding, defaultBranding, noPictureAddress } from '../branding.ts'

/** A restored row may hold any JSON: invalid values are dropped, and by default the owner is not named. */
export function brandingOf({ branding }: { branding: string | null }): Branding {
  const stored: unknown = JSON.parse(branding ?? '{}')
  const { data, error } = Branding.safeParse(stored)
  if (data) return { ...defaultBranding, ...data }
  const wrong = new Set(error.issues.map(({ path: [field] }) => field))
  const right = Object.entries(stored ?? {}).filter(([field]) => !wrong.has(field))
  const showOwnerInfo = !wrong.has('showOwnerInfo') && !wrong.has(undefined)
  return { ...defaultBranding, showOwnerInfo, ...Branding.safeParse(Object.fromEntries(right)).data }
}

/**
 * An absolute address of the library's own becomes a path, by which the image is recognized and shown to visitors under
 * every origin of the library.
 */
export function shortenOwn<T extends Branding>(branding: T, origins: string[]): T {
  const shortened = { ...branding }
  for (const field of ['logoUrl', 'headerImage'] as const) {
    const address = branding[field]
    const own = origins.find((origin) => address?.startsWith(`${origin}/files/`))
    if (own) shortened[field] = address?.slice(own.length)
    else if (/^http:/i.test(address ?? '')) throw invalid(`${field}: ${noPictureAddress}`, { field })
  }
  return shortened
}
