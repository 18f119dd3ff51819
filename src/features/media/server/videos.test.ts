import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import timers from 'node:timers/promises'
import sharp from 'sharp'
import { blobKey } from '#engines/storage/keys.ts'
import { mjpegAvi } from '#engines/video/testing/clips.ts'
import { onOneDatabase } from '#tests/support/postgres.ts'
import { onEveryStorage, storedIn } from '#tests/support/storages.ts'
import { testApp } from '#tests/support/test-app.ts'
import type { Media } from '../contract.ts'
import { openClips, withVideo } from './videos.fixture.ts'

const clip = await openClips()
const mp4 = await clip({ audioCodec: 'aac', index: 'first' })
const tagged = await clip({ format: 'mov', tags: { location: '+48.8577+002.2950/' } })
const large = await clip({ width: 1280, height: 720, frames: 2 })
const avi = await clip({ ...mjpegAvi, frames: 12 })
const sound = await clip({ format: 'ipod', videoCodec: null, audioCodec: 'aac' })

/** Like an old camera's file, with the date at the end of the headers. */
function datedAvi(date: string) {
  const headers = avi.indexOf('hdrl')
  const headersEnd = headers + avi.readUInt32LE(headers - 4)
  const text = Buffer.from(date.padEnd(26, '\0'), 'latin1')
  const chunk = Buffer.concat([Buffer.from('IDIT\x1a\0\0\0', 'latin1'), text])
  const dated = Buffer.concat([avi.subarray(0, headersEnd), chunk, avi.subarray(headersEnd)])
  for (const at of [4, headers - 4]) dated.writeUInt32LE(avi.readUInt32LE(at) + chunk.length, at)
  return dated
}

onEveryStorage(
  'a video that browsers play is served unchanged, with poster, duration and key frames',
  async (context, settings) => {
    const product = await testApp(context, settings)
    const { ann, media } = await withVideo(product, 'clip.mp4', mp4)
    assert.deepEqual(
      [media.type, media.mimeType, media.width, media.height, media.playback],
      ['video', 'video/mp4', 64, 48, 'as-is'],
    )
    assert.ok(Math.abs(media.duration! - 2) < 0.2)
    assert.equal(media.playbackUrl, media.originalUrl)
    assert.equal((await ann.get(media.thumbnailUrl)).headers['content-type'], 'image/webp')
    const whole = await ann.get(media.playbackUrl!)
    assert.ok(whole.rawPayload.equals(mp4))
    const part = await ann.get(media.playbackUrl!, { range: 'bytes=100-199' })
    assert.equal(part.statusCode, 206)
    assert.ok(part.rawPayload.equals(mp4.subarray(100, 200)))
    assert.ok(media.sprite && media.sprite.frames > 0)
    const sprite = await ann.get(media.sprite.url)
    assert.deepEqual([sprite.statusCode, sprite.headers['content-type']], [200, 'image/jpeg'])
    assert.equal((await ann.get(`${media.originalUrl}?w=320`)).statusCode, 400)
    assert.deepEqual((await ann.get('/api/media?type=video')).json().pagination.totalCount, 1)
    assert.deepEqual((await storedIn(product)).temporary, [])
    const unmade = media.thumbnailUrl.replace(/[^/]+$/, '~playable.mp4')
    assert.equal((await ann.get(unmade)).statusCode, 404)
    const still: Media = (await ann.get(`/api/media/${media.id}`)).json()
    assert.equal(still.playback, 'as-is', 'requesting a missing rendition does not create it')
    const picture = await ann.addPicture()
    assert.equal((await ann.get(picture.thumbnailUrl.replace(/[^/]+$/, '~sprite.jpg'))).statusCode, 404)

    await product.services.storage.derived.remove(
      (await product.services.db.selectFrom('media').select('blob').orderBy('id').executeTakeFirstOrThrow()).blob,
    )
    assert.equal((await ann.get(media.sprite.url)).statusCode, 200, 'created again')
  },
)

onOneDatabase('a visitor does not learn where a video was taken', async (context) => {
  const product = await testApp(context)
  const { ann, media } = await withVideo(product, 'clip.mov', tagged)
  assert.ok(tagged.includes('+48.8577'))
  assert.ok(Math.abs(media.exif!.latitude! - 48.8577) < 0.001)
  await ann.post(`/api/media/${media.id}/public`)
  const seen = await product.visitor().get(media.originalUrl)
  assert.equal(seen.statusCode, 200)
  assert.equal(seen.rawPayload.includes('+48.8577'), false)
  assert.equal(seen.rawPayload.length, tagged.length)
  assert.ok((await ann.get(media.originalUrl)).rawPayload.equals(tagged))
})

onOneDatabase('a visitor does not wait for a long video to be encoded again but can retry later', async (context) => {
  const product = await testApp(context)
  const { ann, media } = await withVideo(product, 'odd.mp4', mp4)
  await ann.post(`/api/media/${media.id}/public`)
  const { videos, db } = product.services
  const { blob } = await db.selectFrom('media').select('blob').executeTakeFirstOrThrow()
  await writeFile(join(product.directory, blobKey(blob)), Buffer.alloc(mp4.length)) // the location of the metadata is unknown
  const begun = Promise.withResolvers<void>()
  const allowed = Promise.withResolvers<void>()
  const making = context.mock.method(videos, 'makePlayable', async ({ outputPath }: { outputPath: string }) => {
    begun.resolve()
    await allowed.promise
    await writeFile(outputPath, mp4)
  })
  const patience = Promise.withResolvers<unknown>()
  const { setTimeout: wait } = timers
  const clock = context.mock.method(timers, 'setTimeout', (ms: number, value: unknown, options: object) =>
    ms === 20_000 ? patience.promise : wait(ms, value, options),
  )
  // Also updates named imports of the module.
  syncBuiltinESMExports()
  const visit = product.visitor().get(media.originalUrl)
  await Promise.race([begun.promise, visit])
  patience.resolve(false)
  const told = await visit
  assert.deepEqual([told.statusCode, told.headers['retry-after']], [503, '60'])
  clock.mock.restore()
  syncBuiltinESMExports()
  allowed.resolve()
  const seen = await product.visitor().get(media.originalUrl)
  assert.deepEqual([seen.statusCode, seen.headers['content-type'], making.mock.callCount()], [200, 'video/mp4', 1])
})

onEveryStorage('the poster of a video is rendered in the requested size', async (context, settings) => {
  const product = await testApp(context, settings)
  const { ann, media } = await withVideo(product, 'large.mp4', large)
  for (const [query, type, width] of [
    ['', 'image/webp', 711],
    ['?w=960', 'image/webp', 960],
    ['?format=jpeg', 'image/jpeg', 640],
    ['?w=2560&format=jpeg', 'image/jpeg', 1280],
  ] as const) {
    const picture = await ann.get(media.thumbnailUrl + query)
    assert.equal(picture.headers['content-type'], type, query)
    assert.equal((await sharp(picture.rawPayload).metadata()).width, width, query)
  }
  assert.deepEqual((await storedIn(product)).temporary, [])
})

onOneDatabase(
  'truncated, damaged and audio-only files are refused with a message without crashing the process',
  async (context) => {
    const product = await testApp(context)
    const ann = await product.register()
    const bad: [name: string, bytes: Buffer, message: RegExp][] = [
      ['sound.m4a', sound, /^Unsupported file type/],
      [
        'sound.mp4',
        Buffer.concat([
          Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0mp42isom', 'latin1'),
          sound.subarray(sound.readUInt32BE(0)),
        ]),
        /sound but no video/,
      ],
      ['cut.mp4', mp4.subarray(0, 300), /damaged|incomplete/],
      ['cut.avi', avi.subarray(0, 200), /damaged|incomplete/],
      ['zeros.mp4', Buffer.concat([mp4.subarray(0, 40), Buffer.alloc(5000)]), /damaged|incomplete/],
    ]
    for (const [name, bytes, message] of bad) {
      const answer = await ann.upload([{ name, bytes }])
      assert.equal(answer.statusCode, 415, `${name}: ${answer.body}`)
      assert.match(answer.json().message, message, name)
    }
    assert.deepEqual(await storedIn(product), { temporary: [], blobs: [] })
    assert.equal((await ann.upload([{ name: 'good.mp4', bytes: mp4 }])).statusCode, 201)
  },
)

onOneDatabase('an MP4 marked as 3GPP or M4V is accepted as a video', async (context) => {
  const product = await testApp(context)
  for (const brand of ['3gp4', '3gp5', '3g2a', 'M4V ']) {
    const marked = Buffer.from(mp4)
    marked.write(brand, 8, 'latin1')
    const { media } = await withVideo(product, 'marked.mp4', marked)
    assert.deepEqual([media.filename, media.mimeType, media.playback], ['marked.mp4', 'video/mp4', 'as-is'])
  }
})

onOneDatabase("only the owner sees a video's camera and date", async (context) => {
  const product = await testApp(context)
  const tags = { make: 'Apple', model: 'iPhone 15', location: '+48.8577+002.2950/' }
  const { ann, media } = await withVideo(product, 'phone.mov', await clip({ format: 'mov', tags }))
  assert.deepEqual(media.exif, { camera: 'Apple iPhone 15', latitude: 48.8577, longitude: 2.295 })
  assert.equal((await ann.get('/api/media?search=iphone')).json().pagination.totalCount, 1)
  const { publicUrlSlug } = (await ann.post(`/api/media/${media.id}/public`)).json()
  assert.doesNotMatch((await product.visitor().get(`/api/public/media/${publicUrlSlug}`)).body, /iPhone/)
  const { media: old } = await withVideo(product, 'old.avi', datedAvi('MON MAR 10 15:04:43 2003\n'))
  assert.equal(old.takenAt, '2003-03-10T15:04:43')
})
