import assert from 'node:assert/strict'
import type { uploadApi } from '#features/upload/contract.ts'
import { multipart, type TestFile } from '../../support/multipart.ts'
import { sha256 } from '../library.ts'
import { type Actor, asking, expectStatus, learnAdded, learnAnalyzed, learnItem, type MakeAct } from './action.ts'
import { newName } from './item-actions.ts'
import { drawPicture } from './random.ts'
import { call, said } from './world.ts'

/** A file that any user has uploaded before. */
type KnownFile = Awaited<ReturnType<typeof drawPicture>>
const knownFiles: KnownFile[] = []

async function chooseFile({ random }: Actor) {
  if (knownFiles.length > 3 && random.chance(0.3)) return random.pick(knownFiles)
  const file = await drawPicture(random)
  knownFiles.push(file)
  return file
}

const upload: MakeAct = async (actor) => {
  const { world, person, random, send } = actor
  const files: TestFile[] = []
  for (let left = 1 + random.below(3); left > 0; left--) {
    const { extension, bytes } = await chooseFile(actor)
    files.push({ name: newName(actor, extension), bytes })
  }
  const shelf = random.chance(0.4) ? random.pick([...person.shelves.values(), undefined]) : undefined
  const enableAi = random.chance(0.15)
  const fields = { enableAi: String(enableAi), ...(shelf && { collectionId: String(shelf.id) }) }
  const sent = random.chance(0.1) ? [...files, { name: 'no.jpg', bytes: Buffer.from('no picture') }] : files
  const touches: number[] = []
  return {
    touches,
    creates: true,
    shelves: shelf && [shelf.id],
    ask: () => call(world, send, 'POST', '/api/upload', multipart(sent, fields)),
    async learn(answer) {
      expectStatus(answer, 201)
      const { media, rejected } = said<typeof uploadApi.upload>(answer)
      assert.deepEqual([media.length, rejected.length], [files.length, sent.length - files.length])
      for (const [index, { name, bytes }] of files.entries()) {
        const item = learnItem(person, media[index]!, sha256(bytes))
        assert.deepEqual([item.filename, item.size, item.isTrashed], [name, bytes.length, false])
        shelf?.members.push(item.id)
        if (!enableAi) {
          assert.deepEqual([item.tags, item.aiDescription], [[], null])
        } else touches.push(item.id)
      }
      for (const id of touches) await learnAnalyzed(actor, id)
    },
  }
}

const fromAddress: MakeAct = async (actor) => {
  const { world, random } = actor
  const files: KnownFile[] = []
  for (let left = 1 + random.below(2); left > 0; left--) files.push(await chooseFile(actor))
  const urls = files.map(({ extension, bytes }) => {
    const path = `/${random.below(2 ** 31)}/${random.below(2 ** 31)}.${extension}`
    return world.web.file(path, bytes, extension === 'png' ? 'image/png' : 'image/jpeg')
  })
  const asked = random.chance(0.3) ? [...urls, urls[0]!] : urls
  const touches: number[] = []
  return {
    touches,
    creates: true,
    ask: asking(actor, 'POST', '/api/upload-from-urls', { urls: asked }),
    async learn(answer) {
      expectStatus(answer, 200)
      const added = await learnAdded(actor)
      const arrived = added.map(({ hash }) => hash).sort()
      assert.deepEqual(arrived, files.map(({ bytes }) => sha256(bytes)).sort(), `each address is one item: ${urls}`)
      touches.push(...added.map(({ id }) => id))
      for (const id of touches) await learnAnalyzed(actor, id)
    },
  }
}

export const uploadActs: [weight: number, make: MakeAct][] = [
  [6, upload],
  [1, fromAddress],
]
