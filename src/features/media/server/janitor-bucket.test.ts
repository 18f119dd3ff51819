import assert from 'node:assert/strict'
import { utimes } from 'node:fs/promises'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { blobKey } from '#engines/storage/keys.ts'
import { makeJpeg } from '#tests/support/pictures.ts'
import { withBucket } from '#tests/support/storages.ts'
import { type TestApp, testApp } from '#tests/support/test-app.ts'
import { removeOrphans, tidyMedia } from './janitor.ts'

const hourMs = 3600_000
/** There is no event for an upload that sends nothing, so the test waits this long. */
const patienceMs = 400

type Told = { product: TestApp; makeOld: (sha256: string) => Promise<void>; steps: ReturnType<typeof steps> }

/**
 * The events that the tests put in order: the janitor's delete request to the bucket, and the upload's check and transfer.
 */
function steps() {
  const removing = Promise.withResolvers<void>()
  const sent = Promise.withResolvers<void>()
  return { removing, sent, beforeRemoval: async () => {}, beforeLook: async () => {} }
}

async function inBucket(context: TestContext, story: (told: Told) => Promise<void>) {
  const at = steps()
  await withBucket(
    context,
    async (inner, settings, bucket) => {
      const product = await testApp(inner, settings)
      await product.settled()
      const makeOld = async (sha256: string) => {
        await product.services.db.updateTable('blobs').set({ created_at: 0 }).execute()
        await utimes(bucket.fileOf(blobKey(sha256)), new Date(0), new Date(0))
      }
      await story({ product, makeOld, steps: at })
    },
    async (question, proceed) => {
      if (question.startsWith('HEAD blobs/')) await at.beforeLook()
      if (question.startsWith('DELETE blobs/')) {
        at.removing.resolve()
        await at.beforeRemoval()
      }
      await proceed()
      // The thumbnail is sent after the bytes.
      if (question.startsWith('PUT derived/')) at.sent.resolve()
    },
  )
}

async function keep({ services }: TestApp, bytes: Uint8Array) {
  const source = (async function* () {
    yield bytes
  })()
  const arrival = await services.storage.receive(source, { maxBytes: 1e9 })
  await arrival.commit()
  return arrival.sha256
}

test('bytes that are uploaded again while the janitor removes them from the bucket are stored again', (context) =>
  inBucket(context, async ({ product, makeOld, steps }) => {
    const ann = await product.register()
    const bytes = await makeJpeg()
    const { id } = await ann.addPicture('first.jpg', bytes)
    await ann.delete(`/api/media/${id}`)
    const [{ sha256 }] = (await product.services.db.selectFrom('blobs').select('sha256').execute()) as [
      { sha256: string },
    ]
    await makeOld(sha256)
    steps.sent = Promise.withResolvers()
    steps.beforeRemoval = () => Promise.race([steps.sent.promise, delay(patienceMs)])
    const tidied = tidyMedia(product.services, hourMs)
    await steps.removing.promise
    const back = await ann.addPicture('back.jpg', bytes)
    await tidied
    const file = await ann.get(back.originalUrl)
    assert.deepEqual([file.statusCode, file.rawPayload.equals(bytes)], [200, true])
  }))

test('bytes that are uploaded again while the janitor treats them as orphans stay in the bucket', (context) =>
  inBucket(context, async ({ product, makeOld, steps }) => {
    const ann = await product.register()
    const bytes = await makeJpeg()
    await makeOld(await keep(product, bytes))
    steps.sent = Promise.withResolvers()
    steps.beforeRemoval = () => steps.sent.promise
    const [looking, mayLook] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    steps.beforeLook = () => {
      steps.beforeLook = async () => {}
      looking.resolve()
      return mayLook.promise
    }
    const coming = ann.addPicture('back.jpg', bytes)
    await looking.promise
    const tidied = removeOrphans(product.services, hourMs)
    await Promise.race([tidied, steps.removing.promise])
    mayLook.resolve()
    const back = await coming
    await tidied
    const file = await ann.get(back.originalUrl)
    assert.deepEqual([file.statusCode, file.rawPayload.equals(bytes)], [200, true])
  }))

test('orphans in the bucket are kept for an hour at any age, as an upload may have just found them', (context) =>
  inBucket(context, async ({ product, makeOld }) => {
    const { db, jobs, storage } = product.services
    const stray = await keep(product, await makeJpeg())
    await makeOld(stray)
    await jobs.enqueue(db, 'find-strays', {})
    await product.settled()
    assert.ok(await storage.stat(stray))
  }))

test('bytes that are already in the bucket are sent again only if they were found damaged', async (context) => {
  const sent: string[] = []
  await withBucket(
    context,
    async (inner, settings) => {
      const product = await testApp(inner, settings)
      const ann = await product.register()
      const bytes = await makeJpeg()
      for (const name of ['first.jpg', 'again.jpg']) await ann.addPicture(name, bytes)
      assert.equal(sent.length, 1)
      const { db } = product.services
      await db.updateTable('blobs').set({ state: 'damaged' }).execute()
      await ann.addPicture('mended.jpg', bytes)
      assert.equal(sent.length, 2)
      assert.deepEqual(await db.selectFrom('blobs').select('state').execute(), [{ state: 'ok' }])
    },
    (question, proceed) => {
      if (question.startsWith('PUT blobs/')) sent.push(question)
      return proceed()
    },
  )
})
