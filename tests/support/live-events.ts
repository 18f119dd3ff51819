import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import type { FastifyInstance } from 'fastify'
import type { Events, LiveEvent } from '#platform/server/events/events.ts'
import type { TestUser } from './test-user.ts'

type ReceivedBlock = { id?: string; event?: { type: string; [field: string]: unknown }; comment?: string }

/** Connects to `/api/events` like a browser, over real HTTP. */
export async function listenToEvents(
  context: TestContext,
  { app, user, lastEventId, since }: { app: FastifyInstance; user: TestUser; lastEventId?: string; since?: string },
) {
  if (!app.server.listening) await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const line = new AbortController()
  context.after(() => line.abort())
  const response = await fetch(`http://127.0.0.1:${port}/api/events${since ? `?since=${since}` : ''}`, {
    signal: line.signal,
    headers: {
      cookie: user.cookieHeader,
      'accept-encoding': 'gzip, br',
      ...(lastEventId && { 'last-event-id': lastEventId }),
    },
  })
  // The reference keeps the response alive: fetch closes the connection of a response that is garbage-collected.
  context.after(() => void response)
  const blocks = splitBlocks(response.body!)
  /** The next block of any kind; null at the end of the stream. */
  const next = async (): Promise<ReceivedBlock | null> => {
    const { value, done } = await blocks.next()
    return done ? null : parse(value)
  }
  return {
    response,
    next,
    async nextEvent() {
      for (;;) {
        const heard = await next()
        if (!heard || heard.event) return heard
      }
    },
    hangUp: () => line.abort(),
  }
}

async function* splitBlocks(stream: ReadableStream<Uint8Array>) {
  const decoder = new TextDecoder()
  let pending = ''
  for await (const bytes of stream) {
    const blocks = (pending + decoder.decode(bytes, { stream: true })).split('\n\n')
    pending = blocks.pop()!
    yield* blocks
  }
}

function parse(block: string): ReceivedBlock {
  const heard: ReceivedBlock = {}
  for (const line of block.split('\n')) {
    if (line.startsWith(':')) heard.comment = line.slice(1).trim()
    if (line.startsWith('id: ')) heard.id = line.slice(4)
    if (line.startsWith('data: ')) heard.event = JSON.parse(line.slice(6))
  }
  return heard
}

/** The events in the body of a finished response. */
export function parseEvents<T = Record<string, unknown>>(text: string): T[] {
  return text
    .split('\n\n')
    .filter((block) => block.startsWith('data: '))
    .map((block) => JSON.parse(block.slice('data: '.length)))
}

/** Collects the user's events from now on. On PostgreSQL, events published earlier may still arrive; they are dropped. */
export async function collectEvents(events: Events, userId: number): Promise<LiveEvent[]> {
  const heard: LiveEvent[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const now = { type: 'now' }
  events.subscribe(userId, undefined, (_id, event) => {
    heard.push(event)
    if (event.type !== now.type) return
    heard.length = 0
    resolve()
  })
  await events.publish(userId, now)
  await promise
  return heard
}
