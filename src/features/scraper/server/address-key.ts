import { createHash } from 'node:crypto'

/** Addresses may be longer than an index takes, so they are looked up by hash. */
export function addressKey(address: string): string {
  return createHash('sha256').update(address).digest('hex')
}

/** How an item's provenance names where it came from: a picture inside a page has no address but the page's. */
export function sourceAddress(address: string, pageUrl: string | null): string {
  return address.startsWith('data:') ? `${pageUrl ?? ''}#embedded-${addressKey(address).slice(0, 16)}` : address
}
