import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { type Clip, createClipMaker } from '#engines/video/testing/clips.ts'
import type { TestApp } from '#tests/support/test-app.ts'
import type { Media } from '../contract.ts'

/** Makes the bytes of clips for one test file. */
export async function openClips() {
  const directory = await mkdtemp(join(tmpdir(), 'albumen-clips-'))
  const clips = createClipMaker(directory)
  after(async () => {
    await clips.close()
    await rm(directory, { recursive: true, force: true })
  })
  return async (wanted: Partial<Clip>) => readFile(await clips.make(wanted))
}

/** Somebody new uploads a video, and what is made of it in the background is made. */
export async function withVideo(product: TestApp, name: string, bytes: Buffer) {
  const ann = await product.register()
  const media = await ann.addPicture(name, bytes)
  await product.settled()
  return { ann, media: (await ann.get(`/api/media/${media.id}`)).json() as Media }
}
