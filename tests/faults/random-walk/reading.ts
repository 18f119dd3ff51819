import assert from 'node:assert/strict'
import type { Media, mediaApi } from '#features/media/contract.ts'
import type { ResponseOf, Route } from '#platform/contract.ts'
import type { Send } from '../killable-server.ts'
import { call, said, type World } from './world.ts'

export async function read<R extends Route>(world: World, send: Send, path: string): Promise<ResponseOf<R>> {
  const answer = await call(world, send, 'GET', path)
  assert.equal(answer.status, 200, `${path} ${answer.text}`)
  return said<R>(answer)
}

/** Loads all pages of a list, with a small page size so that there are several. */
export async function listAll(world: World, send: Send, query: string): Promise<Media[]> {
  const listed: Media[] = []
  for (let page = 1; ; page++) {
    const { media, pagination } = await read<typeof mediaApi.list>(
      world,
      send,
      `/api/media?limit=25&page=${page}&${query}`,
    )
    listed.push(...media)
    if (pagination.hasNextPage) continue
    assert.equal(pagination.totalCount, listed.length, `the count of ${query} is that of its items`)
    return listed
  }
}

export const idsOf = (list: { id: number }[]) => list.map(({ id }) => id)
export const sorted = (ids: Iterable<number>) => [...ids].sort((one, other) => one - other)
export const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)
