import assert from 'node:assert/strict'
import type { FoundImage } from './found-image.ts'

/** The fields named in `expected` only. */
export function assertImage(image: FoundImage | undefined, expected: Partial<FoundImage>) {
  assert.ok(image)
  const named = Object.keys(expected).map((key) => [key, image[key as keyof FoundImage]])
  assert.deepEqual(Object.fromEntries(named), expected)
}
