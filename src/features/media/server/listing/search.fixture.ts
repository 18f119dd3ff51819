import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { type Draft, seedLibrary } from '#tests/support/seed-library.ts'
import { testApp } from '#tests/support/test-app.ts'
import type { TestUser } from '#tests/support/test-user.ts'
import type { Media, Pagination } from '../../contract.ts'

type Page = { media: Media[]; pagination: Pagination }

export async function search(user: TestUser, words: string, more = ''): Promise<Page> {
  const answer = await user.get(`/api/media?search=${encodeURIComponent(words)}${more}`)
  assert.equal(answer.statusCode, 200, `${words}: ${answer.body}`)
  return answer.json()
}

export const found = async (user: TestUser, words: string, more = '') =>
  (await search(user, words, more)).media.map(({ filename }) => filename)

export async function withItems(context: TestContext, drafts: Draft[]) {
  const product = await testApp(context)
  const ann = await product.register()
  const ids = await seedLibrary(product.services, ann.id, drafts)
  return { ...product, ann, ids }
}
