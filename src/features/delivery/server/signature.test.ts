import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fits } from '#shared/fit-picture.ts'
import type { DeliveryQuery } from '../contract.ts'
import { queryText } from '../file-address.ts'
import { isSignedBy, type Signed, signatureOf } from './signature.ts'

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
const query: fc.Arbitrary<DeliveryQuery> = fc.record({
  w: maybe(fc.integer({ min: 1, max: 8192 })),
  h: maybe(fc.integer({ min: 1, max: 8192 })),
  fit: maybe(fc.constantFrom(...fits)),
  q: maybe(fc.integer({ min: 30, max: 95 })),
  format: maybe(fc.constant('auto' as const)),
})
const signed: fc.Arbitrary<Signed> = fc.record({
  mediaId: fc.integer({ min: 1 }),
  extension: maybe(fc.constantFrom('webp', 'avif', 'jpg', 'png')),
  query,
})
const key = fc.string({ minLength: 20, maxLength: 50 })
const options = { seed: 37, numRuns: 1000 }
const withSignature = (given: Signed, s: string): Signed => ({ ...given, query: { ...given.query, s } })
const meaningOf = ({ mediaId, extension, query }: Signed) => `${mediaId} ${extension} ${queryText(query)}`

test('a signed request is accepted with its key, in any order of its parameters', () => {
  fc.assert(
    fc.property(key, signed, (secret, given) => {
      const reversed = Object.fromEntries(Object.entries(given.query).reverse())
      assert.ok(isSignedBy(secret, withSignature({ ...given, query: reversed }, signatureOf(secret, given))))
    }),
    options,
  )
})

test('a signature is accepted for no other request and no other key', () => {
  fc.assert(
    fc.property(key, key, signed, signed, (secret, otherSecret, given, other) => {
      const signature = signatureOf(secret, given)
      if (secret !== otherSecret) assert.ok(!isSignedBy(otherSecret, withSignature(given, signature)))
      if (meaningOf(given) !== meaningOf(other)) assert.ok(!isSignedBy(secret, withSignature(other, signature)))
    }),
    options,
  )
})

test('no other text than the signature is accepted', () => {
  fc.assert(
    fc.property(key, signed, fc.string(), (secret, given, text) => {
      if (text !== signatureOf(secret, given)) assert.ok(!isSignedBy(secret, withSignature(given, text)))
    }),
    options,
  )
})
