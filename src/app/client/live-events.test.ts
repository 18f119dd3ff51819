import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { findProgress } from '#platform/client/run-progress.ts'
import { currentConnection } from './connection.ts'
import { applyEvent, createRefresher, followEvents } from './live-events.ts'

/** What is asked for again when an item changes. */
const ofMedia = [['media'], ['storage'], ['collections'], ['websites'], ['history'], ['tags']]

function listen() {
  const asked: unknown[] = []
  const queryClient = new QueryClient()
  queryClient.invalidateQueries = async (filters) => {
    asked.push(filters?.queryKey ?? 'everything')
  }
  return { asked, queryClient, refresher: createRefresher(queryClient) }
}

test('a hundred changed items cause one refetch', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const { asked, queryClient, refresher } = listen()
  for (let id = 1; id <= 100; id++) applyEvent({ type: 'media', ids: [id] }, refresher, queryClient)
  assert.deepEqual(asked, [])
  context.mock.timers.tick(300)
  assert.deepEqual(asked, ofMedia)
})

test('a change after a pause causes another refetch', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const { asked, queryClient, refresher } = listen()
  applyEvent({ type: 'media', ids: [1] }, refresher, queryClient)
  context.mock.timers.tick(300)
  await turn()
  applyEvent({ type: 'media', ids: [2] }, refresher, queryClient)
  context.mock.timers.tick(300)
  assert.equal(asked.length, 2 * ofMedia.length)
})

test('a change during a slow refetch is fetched after its response', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const { asked, queryClient, refresher } = listen()
  const answer = Promise.withResolvers<void>()
  const invalidate = queryClient.invalidateQueries
  queryClient.invalidateQueries = async (filters) => {
    await invalidate(filters)
    await answer.promise
  }
  for (let id = 1; id <= 10; id++) {
    applyEvent({ type: 'media', ids: [id] }, refresher, queryClient)
    context.mock.timers.tick(300)
  }
  assert.equal(asked.length, ofMedia.length, 'no question gives up the one before it')
  answer.resolve()
  await turn()
  context.mock.timers.tick(300)
  assert.equal(asked.length, 2 * ofMedia.length, 'what changed meanwhile is asked for')
  await turn()
  context.mock.timers.tick(300)
  assert.equal(asked.length, 2 * ofMedia.length)
})

test('items that change one by one for a minute are refetched at growing intervals, and once at the end', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const { asked, queryClient, refresher } = listen()
  const times: number[] = []
  for (let ms = 0; ms < 60_000; ms += 50) {
    const before = asked.length
    applyEvent({ type: 'media', ids: [ms] }, refresher, queryClient)
    context.mock.timers.tick(50)
    await turn()
    if (asked.length > before) times.push(ms)
  }
  assert.ok(times[0]! <= 300, `first after ${times[0]} ms`)
  assert.ok(times.length >= 12 && times.length <= 20, `${times.length} times within a minute`)
  assert.ok(Math.max(...times.map((ms, index) => ms - (times[index - 1] ?? 0))) <= 5500, times.join())

  const midway = asked.length
  applyEvent({ type: 'media', ids: [1] }, refresher, queryClient)
  context.mock.timers.tick(300)
  await turn()
  assert.equal(asked.length, midway + ofMedia.length, 'the last change is asked for at once')
  applyEvent({ type: 'media', ids: [2] }, refresher, queryClient)
  context.mock.timers.tick(300)
  assert.equal(asked.length, midway + 2 * ofMedia.length, 'and so is the next one after a pause')
  await turn()
  for (let ms = 0; ms < 350; ms += 50) {
    applyEvent({ type: 'media', ids: [ms] }, refresher, queryClient)
    context.mock.timers.tick(50)
  }
  assert.equal(asked.length, midway + 3 * ofMedia.length, 'and the next that follow each other')
})

/** A page that can be hidden and shown, and the event streams that it has opened. */
function openPage(context: TestContext, latestEvent?: string) {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const lines: FakeLine[] = []
  class FakeLine {
    static CLOSED = 2
    readyState = 1
    onopen = () => {}
    onerror = () => {}
    onmessage = (_message: { data: string }) => {}
    address: string
    constructor(address: string) {
      this.address = address
      lines.push(this)
    }
    close() {
      this.readyState = FakeLine.CLOSED
    }
    /** The server has sent a response that is not an event stream. */
    refuse() {
      this.close()
      this.onerror()
    }
  }
  const querySelector = () => latestEvent && { content: latestEvent }
  const page = Object.assign(new EventTarget(), { visibilityState: 'visible', querySelector })
  const show = (state: 'visible' | 'hidden') => {
    page.visibilityState = state
    page.dispatchEvent(new Event('visibilitychange'))
  }
  Object.assign(globalThis, { EventSource: FakeLine, document: page, window: globalThis })
  context.after(() => {
    for (const name of ['EventSource', 'document', 'window']) Reflect.deleteProperty(globalThis, name)
  })
  return { lines, show, openLines: () => lines.filter(({ readyState }) => readyState !== FakeLine.CLOSED).length }
}

test('one event stream is open while the page is visible, and none when it is hidden or closed', (context) => {
  const { lines, show, openLines } = openPage(context)
  const { asked, queryClient } = listen()
  const leave = followEvents(queryClient)
  assert.equal(openLines(), 1)
  // The connection broke but was not refused, so the browser reconnects by itself.
  lines[0]!.onerror()
  context.mock.timers.tick(5000)
  assert.equal(lines.length, 1)
  show('hidden')
  assert.equal(openLines(), 0)
  show('visible')
  assert.equal(openLines(), 1)
  lines.at(-1)!.refuse()
  show('hidden')
  context.mock.timers.tick(5000)
  assert.equal(openLines(), 0, 'what is hidden does not try again')
  show('visible')
  assert.deepEqual(asked, [['user']])
  lines.at(-1)!.onmessage({ data: '{"type":"collections"}' })
  leave()
  show('visible')
  context.mock.timers.tick(5000)
  assert.equal(openLines(), 0)
  assert.deepEqual(asked, [['user']], 'who has left asks for nothing')
})

test('after the server refused the stream, everything is refetched once it is open again', async (context) => {
  const { lines } = openPage(context)
  const { asked, queryClient } = listen()
  const leave = followEvents(queryClient)
  const [first] = lines
  first!.onopen()
  context.mock.timers.tick(1000)
  assert.deepEqual(asked, [], 'a first line has missed nothing')
  first!.refuse()
  context.mock.timers.tick(5000)
  assert.deepEqual(asked, [['user']])
  lines[1]!.onopen()
  context.mock.timers.tick(300)
  assert.deepEqual(asked, [['user'], 'everything'])
  await turn()
  lines[1]!.onopen()
  context.mock.timers.tick(300)
  assert.equal(asked.length, 2, 'a line of its own making has missed nothing')
  leave()
})

test('only queries that were answered before the stream opened are refetched when it opens', async (context) => {
  const { lines } = openPage(context)
  const queryClient = new QueryClient({ defaultOptions: { queries: { gcTime: 0 } } })
  const asked: string[] = []
  const slow = Promise.withResolvers<string>()
  const watch = (name: string, answer: string | Promise<string>) => {
    const queryFn = () => {
      asked.push(name)
      return answer
    }
    return new QueryObserver(queryClient, { queryKey: [name], queryFn }).subscribe(() => {})
  }
  const watched = [watch('user', 'ann'), watch('media', 'beach.jpg'), watch('storage', slow.promise)]
  await turn()
  const leave = followEvents(queryClient)
  lines[0]!.onopen()
  assert.deepEqual(asked, ['user', 'media', 'storage', 'media'])
  slow.resolve('1 file')
  await turn()
  // After the browser's own reconnect the server sends what was missed.
  lines[0]!.onopen()
  assert.equal(asked.length, 4)
  leave()
  for (const unwatch of watched) unwatch()
})

test('a lost stream is told after six seconds, and what failed meanwhile is refetched when it is back', async (context) => {
  const { lines } = openPage(context)
  const queryClient = new QueryClient({ defaultOptions: { queries: { gcTime: 0, retry: false } } })
  let isBack = false
  const queryFn = () => (isBack ? 'beach.jpg' : Promise.reject(new Error('lost')))
  const watcher = new QueryObserver(queryClient, { queryKey: ['media'], queryFn })
  const unwatch = watcher.subscribe(() => {})
  await turn()
  const leave = followEvents(queryClient)
  lines[0]!.onerror()
  context.mock.timers.tick(5000)
  assert.equal(currentConnection(), 'connected')
  context.mock.timers.tick(1000)
  assert.equal(currentConnection(), 'unreachable')
  isBack = true
  lines[0]!.onopen()
  await turn()
  assert.deepEqual([currentConnection(), watcher.getCurrentResult().data], ['connected', 'beach.jpg'])
  leave()
  unwatch()
})

test('a page that came with preloaded responses asks for what has changed since, and fetches nothing again', async (context) => {
  const { lines, show } = openPage(context, '1a2b-7')
  const queryClient = new QueryClient({ defaultOptions: { queries: { gcTime: 0 } } })
  let asked = 0
  const queryFn = () => ++asked
  const unwatch = new QueryObserver(queryClient, { queryKey: ['media'], queryFn }).subscribe(() => {})
  await turn()
  const leave = followEvents(queryClient)
  lines[0]!.onopen()
  assert.deepEqual([lines[0]!.address, asked], ['/api/events?since=1a2b-7', 1])
  show('hidden')
  show('visible')
  lines[1]!.onopen()
  assert.deepEqual([lines[1]!.address, asked], ['/api/events', 2])
  leave()
  unwatch()
})

test('a reset refetches everything once', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const { asked, queryClient, refresher } = listen()
  applyEvent({ type: 'media', ids: [1] }, refresher, queryClient)
  applyEvent({ type: 'reset' }, refresher, queryClient)
  applyEvent({ type: 'collections' }, refresher, queryClient)
  context.mock.timers.tick(300)
  assert.deepEqual(asked, ['everything'])
})

test('a pending refetch is dropped when the user signs out', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const { asked, queryClient, refresher } = listen()
  applyEvent({ type: 'media', ids: [1] }, refresher, queryClient)
  refresher.stop()
  context.mock.timers.tick(1000)
  assert.deepEqual(asked, [])
})

test('a changed collection refetches the collections and the media that name it', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const { asked, queryClient, refresher } = listen()
  applyEvent({ type: 'collections' }, refresher, queryClient)
  context.mock.timers.tick(300)
  assert.deepEqual(asked.slice(0, 3), [['media'], ['storage'], ['collections']])
})

test('a change during the last refetch before signing out is not fetched', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const { asked, queryClient, refresher } = listen()
  applyEvent({ type: 'media', ids: [1] }, refresher, queryClient)
  context.mock.timers.tick(300)
  applyEvent({ type: 'media', ids: [2] }, refresher, queryClient)
  refresher.stop()
  await turn()
  context.mock.timers.tick(1000)
  assert.equal(asked.length, ofMedia.length)
})

test('the progress of a run is shown without a request, and its end refreshes the lists of AI runs', () => {
  const { asked, queryClient, refresher } = listen()
  const run = { type: 'run', isRunning: true, total: 9, failed: 0, pause: null } as const
  applyEvent({ ...run, runId: 'mine', done: 2 }, refresher, queryClient)
  applyEvent({ ...run, runId: 'other', done: 9 }, refresher, queryClient)
  const { type: _type, ...progress } = { ...run, runId: 'mine', done: 2 }
  assert.deepEqual(findProgress(queryClient, 'mine'), progress)
  assert.deepEqual(asked, [])
  applyEvent({ ...run, runId: 'mine', isRunning: false, done: 3 }, refresher, queryClient)
  assert.deepEqual(asked, [['ai-reviews'], ['ai-runs'], ['ai-review']])
  refresher.stop()
  queryClient.clear()
})
