import assert from 'node:assert/strict'
import { test } from 'node:test'
import { QueryClient } from '@tanstack/react-query'
import { applyEvent, createRefresher } from './live-events.ts'

function listen() {
  const asked: unknown[] = []
  const queryClient = new QueryClient()
  queryClient.invalidateQueries = async (filters) => {
    asked.push(filters?.queryKey ?? 'everything')
  }
  return { asked, queryClient, refresher: createRefresher(queryClient) }
}

test('a hundred changed items are asked for once', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const { asked, refresher } = listen()
  for (let id = 1; id <= 100; id++) applyEvent({ type: 'media', ids: [id] }, refresher)
  assert.deepEqual(asked, [])
  context.mock.timers.tick(300)
  assert.deepEqual(asked, [['media'], ['storage'], ['collections']])
})

test('a change after a pause is asked for again', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const { asked, refresher } = listen()
  applyEvent({ type: 'media', ids: [1] }, refresher)
  context.mock.timers.tick(300)
  applyEvent({ type: 'media', ids: [2] }, refresher)
  context.mock.timers.tick(300)
  assert.equal(asked.length, 6)
})

test('after a reset everything is asked for, once', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const { asked, refresher } = listen()
  applyEvent({ type: 'media', ids: [1] }, refresher)
  applyEvent({ type: 'reset' }, refresher)
  context.mock.timers.tick(300)
  assert.deepEqual(asked, ['everything'])
})

test('what is left when a person signs out is not asked for', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const { asked, refresher } = listen()
  applyEvent({ type: 'media', ids: [1] }, refresher)
  refresher.stop()
  context.mock.timers.tick(1000)
  assert.deepEqual(asked, [])
})

test('whoever watches a run sees how far it is without asking; when it is over, the reviews are asked for', () => {
  const { asked, queryClient, refresher } = listen()
  applyEvent({ type: 'ai-run', runId: 'mine', status: 'running', successful: 2 }, refresher)
  applyEvent({ type: 'ai-run', runId: 'other', status: 'running', successful: 9 }, refresher)
  assert.deepEqual(queryClient.getQueryData(['ai-run', 'mine']), {
    type: 'ai-run',
    runId: 'mine',
    status: 'running',
    successful: 2,
  })
  assert.deepEqual(asked, [])
  applyEvent({ type: 'ai-run', runId: 'mine', status: 'review', successful: 3 }, refresher)
  assert.deepEqual(asked, [['ai-reviews'], ['ai-review'], ['ai-runs']])
  queryClient.clear()
})
