import { createHmac, timingSafeEqual } from 'node:crypto'
import type { DeliveryQuery } from '../contract.ts'
import { queryText } from '../file-address.ts'

/** The id and not the slug, so that a renamed address keeps its signatures. */
export type Signed = { mediaId: number; extension?: string; query: DeliveryQuery }

/** 128 bits cannot be guessed either, and make shorter addresses. */
const length = 22

/**
 * [Note: Signed sizes]
 * Visitors choose among a few sizes. Any other one is made only for an address that the owner's copy control signed, so
 * that a stranger cannot fill the disk with sizes. The key belongs to one user: no other user's signature fits.
 */
export function signatureOf(key: string, { mediaId, extension = '', query }: Signed) {
  const text = `${mediaId}.${extension}?${queryText(query)}`
  return createHmac('sha256', key).update(text).digest('base64url').slice(0, length)
}

export function isSignedBy(key: string, signed: Signed) {
  const given = Buffer.from(signed.query.s ?? '')
  const expected = Buffer.from(signatureOf(key, signed))
  return given.length === expected.length && timingSafeEqual(given, expected)
}
