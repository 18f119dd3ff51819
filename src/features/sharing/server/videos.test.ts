import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { createClipMaker, mjpegAvi } from '#engines/video/testing/clips.ts'
import type { Media } from '#features/media/contract.ts'
import { linkPreviewSize } from '#features/media/limits.ts'
import { fitPicture } from '#shared/fit-picture.ts'
import { temporaryFolder } from '#tests/support/temporary-folder.ts'
import type { TestUser } from '#tests/support/test-user.ts'
import { previewOf } from './page-elements.fixture.ts'
import { withSharedCollection } from './sharing.fixture.ts'

async function expectStatus(person: TestUser, addresses: string[], status: number) {
  for (const url of addresses) assert.equal((await person.get(url)).statusCode, status, url)
}

test('a public video has a tile, plays on its page, and can be watched without a download', async (context) => {
  const { product, ann, visitor, id, slug } = await withSharedCollection(context, { count: 0 })
  const clips = createClipMaker(await temporaryFolder(context))
  context.after(clips.close)
  const uploaded = await ann.addPicture('waves.mp4', await readFile(await clips.make({ index: 'first' })))
  await ann.post(`/api/collections/${id}/media/${uploaded.id}`)
  await product.settled()
  const film: Media = (await ann.get(`/api/media/${uploaded.id}`)).json()

  const tiles = (await visitor.get(`/public/collections/${slug}`)).body
  const address = /<a href="([^"]+)" data-media="[^"]*&quot;video&quot;/.exec(tiles)?.[1]
  assert.ok(address, 'the tile leads to the film')
  assert.match(tiles, /<span class="pub-play">\d+:\d\d<\/span>/)
  const part = await visitor.get(address, { range: 'bytes=0-99' })
  assert.deepEqual([part.statusCode, part.headers['content-type']], [206, 'video/mp4'])

  const { publicUrlSlug } = (await ann.post(`/api/media/${film.id}/public`)).json()
  const page = (await visitor.get(`/public/${publicUrlSlug}`, { host: 'a.example' })).body
  assert.match(page, /<video controls playsinline [^>]*src="\/files\//)
  assert.match(page, /<meta property="og:video" content="http:\/\/a\.example\/files\//)
  assert.match(page, /<meta property="og:video:type" content="video\/mp4"/)
  const preview = previewOf(page)
  const cropped = fitPicture({ width: film.width!, height: film.height! }, { ...linkPreviewSize, fit: 'cover' })
  const { pathname, search } = new URL(preview['og:image']!)
  const still = await visitor.get(pathname + search)
  assert.deepEqual(
    [still.statusCode, still.headers['content-type']],
    [200, 'image/jpeg'],
    'not every program knows WebP',
  )
  assert.deepEqual([preview['og:image:width'], preview['og:image:height']], [`${cropped.width}`, `${cropped.height}`])
  await ann.delete(`/api/media/${film.id}/public`)

  await ann.patch(`/api/collections/${id}/sharing`, { allowsDownload: false })
  const shown = await visitor.get(`${film.originalUrl}?download=1`)
  assert.match(String(shown.headers['content-disposition']), /^inline/)
  const { urls } = (await visitor.get(`/api/public/collections/${slug}/urls`)).json()
  assert.equal((await visitor.get(new URL(urls[0]).pathname)).statusCode, 200)

  const addresses = [address, film.originalUrl, film.playbackUrl!, film.thumbnailUrl, film.sprite!.url]
  await expectStatus(visitor, addresses, 200)
  await ann.patch(`/api/collections/${id}/visibility`, { isPublic: false })
  await expectStatus(visitor, addresses, 404)
  await ann.patch(`/api/collections/${id}/visibility`, { isPublic: true })
  await ann.patch(`/api/collections/${id}/sharing`, { password: 'seaside' })
  await expectStatus(visitor, addresses, 404)
  await ann.patch(`/api/collections/${id}/sharing`, { password: null })
  await expectStatus(visitor, addresses, 200)
  await ann.post('/api/media/bulk-trash', { mediaIds: [film.id] })
  await expectStatus(visitor, addresses, 404)
})

test('a converted video has the type of its MP4, and its original is not public', async (context) => {
  const { product, ann, visitor, id, slug } = await withSharedCollection(context, { count: 0 })
  const clips = createClipMaker(await temporaryFolder(context))
  context.after(clips.close)
  const film = await ann.addPicture('old.avi', await readFile(await clips.make(mjpegAvi)))
  const { publicUrlSlug } = (await ann.post(`/api/media/${film.id}/public`)).json()
  await product.settled()
  const typeInPreview = async () => {
    const page = (await visitor.get(`/public/${publicUrlSlug}`)).body
    const [address, type] = ['og:video', 'og:video:type'].map(
      (property) => new RegExp(`<meta property="${property}" content="([^"]+)"`).exec(page)?.[1],
    )
    const sent = await visitor.get(new URL(address!).pathname, { range: 'bytes=0-9' })
    assert.equal(type, sent.headers['content-type'])
    return type
  }
  assert.equal(await typeInPreview(), 'video/mp4', 'an MP4 was made for browsers')
  const { playbackUrl }: Media = (await ann.get(`/api/media/${film.id}`)).json()
  assert.notEqual(playbackUrl, film.originalUrl)
  await expectStatus(visitor, [playbackUrl!], 200)
  await ann.delete(`/api/media/${film.id}/public`)
  await expectStatus(visitor, [playbackUrl!], 404)

  await ann.post(`/api/collections/${id}/media/${film.id}`)
  await expectStatus(visitor, [film.originalUrl], 200)
  await ann.patch(`/api/collections/${id}/sharing`, { allowsDownload: false })
  const become = (playback: Media['playback']) =>
    product.services.db.updateTable('media').set({ playback }).where('id', '=', film.id).execute()
  for (const [playback, status, shown] of [
    ['rendition', 403, playbackUrl],
    ['pending', 403, film.thumbnailUrl],
    ['failed', 200, film.originalUrl],
  ] as const) {
    await become(playback)
    await expectStatus(visitor, [film.originalUrl], status)
    // Another host avoids the cached page, which may be two seconds old.
    const { urls } = (await visitor.get(`/api/public/collections/${slug}/urls`, { host: `${playback}.example` })).json()
    assert.equal(urls[0], `http://${playback}.example${shown}`)
    await expectStatus(visitor, [shown!], 200)
  }

  await ann.post(`/api/media/${film.id}/public`)
  assert.equal(await typeInPreview(), 'video/x-msvideo', 'none could be made')
})
