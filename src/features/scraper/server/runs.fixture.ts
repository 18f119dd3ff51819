import type { FakeWeb } from '#tests/support/fake-web.ts'
import { parseEvents } from '#tests/support/live-events.ts'
import { makeJpeg } from '#tests/support/pictures.ts'
import type { TestUser } from '#tests/support/test-user.ts'
import type { RunProgress } from '../contract.ts'

export const mediaOf = async (user: TestUser) => (await user.get('/api/media?sort=name')).json().media
export const currentRun = async (user: TestUser) => (await user.get('/api/scrape-runs/current')).json().run
export const lastEvent = (text: string) => parseEvents<RunProgress>(text).at(-1)!

/** An image that the fake web holds back until the test releases it. */
export async function heldPicture(web: FakeWeb, path: string) {
  const jpeg = await makeJpeg()
  const asked = Promise.withResolvers<void>()
  const allowed = Promise.withResolvers<void>()
  const url = web.answer(path, async (_request, response) => {
    asked.resolve()
    await allowed.promise
    response.writeHead(200, { 'content-type': 'image/jpeg' }).end(jpeg)
  })
  return { url, asked: asked.promise, allow: allowed.resolve }
}
