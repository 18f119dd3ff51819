import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Db } from '#platform/server/db/tables.ts'
import { weakEtag } from '#platform/server/http/etag.ts'
import { chunksOf } from '#shared/chunks.ts'
import { limitConcurrency } from '#shared/concurrency.ts'
import { listVisibleAmong, listVisibleIds, type Member } from './store.ts'

/** At most a megabyte of text, so that nobody waits long for a part of somebody else's list. */
const membersPerPart = 50

/** However many lists are drawn, one part of one of them is between two turns of the server. */
const oneAtATime = limitConcurrency(1)

/**
 * [Note: A long list is drawn part by part]
 * Thousands of items with long descriptions are many megabytes, which take seconds to read and to write down. `textOf`
 * gives the whole answer as it would be with these members alone; the list stands last in it.
 */
export async function drawList(db: Db, collectionId: number, textOf: (members: Member[]) => string) {
  const withoutMembers = textOf([])
  const head = withoutMembers.slice(0, -']}'.length)
  const hash = createHash('sha1')
  const drawn: Buffer[] = []
  const add = (text: string) => {
    const bytes = Buffer.from(text)
    hash.update(bytes)
    drawn.push(bytes)
  }
  add(head)
  for (const ids of chunksOf(await listVisibleIds(db, collectionId), membersPerPart)) {
    await oneAtATime(async () => {
      const items = textOf(await listVisibleAmong(db, collectionId, ids)).slice(head.length, -']}'.length)
      if (items) add(drawn.length === 1 ? items : `,${items}`)
      await nextTurn()
    })
  }
  add(']}')
  return { bytes: Buffer.concat(drawn), etag: weakEtag(hash.digest('base64url')) }
}
