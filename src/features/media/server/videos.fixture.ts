import { readFile } from 'node:fs/promises'
import { openVideoFixture } from '#engines/video/testing/video-fixture.ts'
import type { TestApp } from '#tests/support/test-app.ts'
import type { MediaDetails } from '../contract.ts'

/** Creates video clips for one test file. */
export async function openClips() {
  const { make } = await openVideoFixture()
  return async (wanted: Parameters<typeof make>[0]) => readFile(await make(wanted))
}

/** Uploads a video as a new user and waits for its background jobs. */
export async function withVideo(product: TestApp, name: string, bytes: Buffer) {
  const ann = await product.register()
  const media = await ann.addPicture(name, bytes)
  await product.settled()
  return { ann, media: (await ann.get(`/api/media/${media.id}`)).json() as MediaDetails }
}
