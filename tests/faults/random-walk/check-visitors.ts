import assert from 'node:assert/strict'
import type { publicApi } from '#features/sharing/contract.ts'
import { type Person, type Shelf, shelvesOf, visibleMembers } from './model.ts'
import { idsOf, listAll, read } from './reading.ts'
import { call, said, type World } from './world.ts'

/** A visitor sees exactly the public items, and nothing else by any URL. */
export async function checkVisitors(world: World, person: Person) {
  const { visitor } = world
  for (const shelf of person.shelves.values()) {
    if (!shelf.slug) continue
    const path = `/api/public/collections/${shelf.slug}`
    const answer = await call(world, visitor, 'GET', path)
    const { status } = answer
    const isShown = shelf.isPublic && !shelf.isExpired
    assert.equal(status, !isShown ? 404 : shelf.password ? 401 : 200, `${path} ${JSON.stringify(shelf)}`)
    if (status === 401 && shelf.password !== 'unknown') await checkUnlocked(world, person, shelf)
    if (status === 200) {
      const { media: shown, collection } = said<typeof publicApi.collection>(answer)
      assert.deepEqual(idsOf(shown), visibleMembers(person, shelf), `what visitors see of ${shelf.name}`)
      assert.deepEqual([collection.name, collection.mediaCount], [shelf.name, shown.length])
      for (const media of shown) {
        const item = person.items.get(media.id)!
        assert.deepEqual([media.filename, media.size, media.aiTags], [item.filename, item.size, item.tags])
      }
    }
  }
  for (const [slug, id] of person.movedSlugs) {
    const shelf = person.shelves.get(id)
    const answer = await fetch(`${world.library.server.url}/api/public/collections/${slug}`, {
      headers: { 'x-forwarded-for': world.newAddress() },
      redirect: 'manual',
    })
    const isShown = shelf?.isPublic && !shelf.isExpired
    assert.equal(answer.status >= 300 && answer.status < 400, Boolean(isShown), `${slug} leads on: ${answer.status}`)
    if (isShown) assert.ok(answer.headers.get('location')?.endsWith(`/${shelf.slug}`), 'to where it is now')
  }
  const listed = [...(await listAll(world, person.sessions[0]!, '')), ...(await listTrashed(world, person))]
  for (const media of listed) {
    const item = person.items.get(media.id)!
    const isOwn = item.slug !== null && !item.isTrashed
    if (item.slug) {
      const answer = await call(world, visitor, 'GET', `/api/public/media/${item.slug}`)
      assert.equal(answer.status, isOwn ? 200 : 404, `/api/public/media/${item.slug}`)
      const shown = isOwn && said<typeof publicApi.media>(answer).media
      if (shown) assert.deepEqual([shown.id, shown.filename], [item.id, item.filename])
    }
    const isHeld = shelvesOf(person, item.id).some((shelf) => shelf.isPublic && !shelf.isExpired && !shelf.password)
    const answer = await visitor('GET', media.thumbnailUrl)
    await answer.arrayBuffer()
    assert.equal(answer.status, isOwn || (isHeld && !item.isTrashed) ? 200 : 404, `${media.thumbnailUrl} for a visitor`)
  }
}

/** Checks that only the right password opens the link. */
async function checkUnlocked(world: World, person: Person, { slug, password, ...shelf }: Shelf) {
  const visitor = world.newSession()
  const path = `/api/public/collections/${slug}`
  assert.equal((await call(world, visitor, 'POST', `${path}/unlock`, { password })).status, 200)
  const { media } = await read<typeof publicApi.collection>(world, visitor, path)
  assert.deepEqual(idsOf(media), visibleMembers(person, { slug, password, ...shelf }))
}

const listTrashed = (world: World, person: Person) => listAll(world, person.sessions[0]!, 'trashed=true')
