import type { PublicWeb } from '#engines/web/fetch-public.ts'
import { readDataUri } from '#engines/web/find-images/image-address.ts'
import { limitConcurrency } from '#shared/concurrency.ts'
import { type PixelSize, readImageSize } from './image-size.ts'

type Probed = Partial<PixelSize> & { bytes?: number }

/** The pictures that a person sees first; the others keep what the page says of them. */
const probedAtMost = 48
const probedAtOnce = 12
/** A frame header stands behind EXIF and a small preview, so most JPEGs tell within so much. */
const headBytes = 64 * 1024
const probeWithinMs = 4000

/** True size and weight of the first pictures, as far as their servers tell in time. Never fails. */
export async function probeImages(web: PublicWeb, addresses: string[], outer?: AbortSignal): Promise<Probed[]> {
  const deadline = AbortSignal.timeout(probeWithinMs)
  const signal = outer ? AbortSignal.any([deadline, outer]) : deadline
  const inTurn = limitConcurrency(probedAtOnce)
  return Promise.all(addresses.slice(0, probedAtMost).map((address) => inTurn(() => probe(web, address, signal))))
}

async function probe(web: PublicWeb, address: string, signal: AbortSignal): Promise<Probed> {
  try {
    const embedded = readDataUri(address)
    if (embedded) return { ...readImageSize(embedded), bytes: embedded.length }
    if (signal.aborted) return {}
    const { bytes, size } = await web.peek(address, { bytes: headBytes, signal })
    const pixels = readImageSize(bytes)
    // An error page has a weight too, but not the picture's.
    return pixels ? { ...pixels, bytes: size } : {}
  } catch {
    // Whether it can be had shows when it is uploaded.
    return {}
  }
}
