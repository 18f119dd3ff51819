import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PreviewImage, RunProgress, ScrapePreview, ScrapeRun } from '../contract.ts'
import { advance, resetDelayMs, type ScrapeFlow, type ScrapeStep, startFlow, stateOf } from './scrape-flow.ts'

const image = (id: string): PreviewImage => ({
  id,
  originalUrl: `https://example.com/${id}.jpg`,
  alternatives: [],
  alt: '',
  intelligentName: id,
  isInLibrary: false,
  previewUrl: '',
})
const preview: ScrapePreview = {
  pageUrl: 'https://example.com/',
  pageTitle: 'Example',
  totalFound: 2,
  images: [image('a'), image('b')],
}
const progress = (step: RunProgress['step']): RunProgress => ({
  step,
  message: '',
  current: 1,
  total: 2,
  results: { successCount: 1, errorCount: 1 },
  stoppedCount: 0,
  runId: 7,
})
const allUploaded: RunProgress = { ...progress('complete'), results: { successCount: 2, errorCount: 0 } }
const goingOn: ScrapeRun = {
  id: 9,
  kind: 'urls',
  pageUrl: null,
  isComplete: false,
  total: 5,
  successCount: 2,
  errorCount: 1,
  stoppedCount: 0,
  failed: [],
}
const after = (...steps: ScrapeStep[]): ScrapeFlow => steps.reduce(advance, startFlow())
const previewed: ScrapeStep[] = [
  { type: 'page-url-typed', text: 'https://example.com' },
  { type: 'analysis-started' },
  { type: 'analysis-done', preview },
]
const uploading: ScrapeStep[] = [...previewed, { type: 'all-selected' }, { type: 'upload-started', kind: 'page' }]
const complete: ScrapeStep[] = [...uploading, { type: 'progressed', progress: progress('complete') }]

test('a scrape goes from idle through analysis, preview and upload to complete', () => {
  assert.equal(stateOf(after()), 'idle')
  assert.equal(stateOf(after(...previewed.slice(0, 2))), 'analyzing')
  assert.equal(stateOf(after(...previewed)), 'preview')
  assert.equal(stateOf(after(...uploading)), 'uploading')
  assert.equal(stateOf(after(...uploading, { type: 'progressed', progress: progress('processing') })), 'uploading')
  assert.equal(stateOf(after(...complete)), 'complete')
})

test('images can be selected one by one, all, or none', () => {
  assert.equal(after(...previewed).selectedIds.size, 0)
  assert.deepEqual([...after(...previewed, { type: 'toggled', id: 'b' }).selectedIds], ['b'])
  assert.equal(after(...previewed, { type: 'toggled', id: 'b' }, { type: 'toggled', id: 'b' }).selectedIds.size, 0)
  assert.equal(after(...previewed, { type: 'all-selected' }).selectedIds.size, 2)
  assert.equal(after(...previewed, { type: 'all-selected' }, { type: 'all-cleared' }).selectedIds.size, 0)
})

test('a new analysis clears the previous error, preview and selection', () => {
  const flow = after(
    ...previewed,
    { type: 'all-selected' },
    { type: 'failed', message: 'No' },
    { type: 'analysis-started' },
  )
  assert.deepEqual([flow.error, flow.preview, flow.selectedIds.size, flow.run], [null, null, 0, null])
  assert.equal(flow.pageUrl, 'https://example.com')
})

test('a failure is shown, and the selection stays', () => {
  const flow = after(...uploading, { type: 'failed', message: 'The site is gone' })
  assert.deepEqual([flow.error, stateOf(flow), flow.selectedIds.size], ['The site is gone', 'preview', 2])
  assert.equal(stateOf(after(...previewed.slice(0, 2), { type: 'failed', message: 'No' })), 'idle')
})

test('failed images stay listed when a retry cannot start', () => {
  const failed = [{ id: 1, name: 'a', address: 'https://a', message: 'Gone' }]
  const ended = [...complete, { type: 'failures-known', runId: 7, failed }, { type: 'upload-started', kind: 'page' }]
  const flow = after(...(ended as ScrapeStep[]), { type: 'failed', message: 'No' })
  assert.deepEqual([stateOf(flow), flow.error, flow.run!.failed], ['complete', 'No', failed])
})

test('after an upload the preview and the address are cleared, and the card stays', () => {
  const flow = after(...complete, { type: 'reset-due', kind: 'page' })
  assert.deepEqual([flow.preview, flow.pageUrl, flow.selectedIds.size, stateOf(flow)], [null, '', 0, 'complete'])
})

test('after an upload from addresses the list is one empty row again', () => {
  const flow = after(
    { type: 'row-typed', id: 1, text: 'https://a' },
    { type: 'row-added' },
    { type: 'upload-started', kind: 'urls' },
    { type: 'progressed', progress: allUploaded },
    { type: 'reset-due', kind: 'urls' },
  )
  assert.deepEqual(
    flow.rows.map(({ text }) => text),
    [''],
  )
})

test('addresses that failed stay in their rows', () => {
  const ended: ScrapeStep[] = [
    { type: 'row-typed', id: 1, text: 'https://a\nhttps://b\nnonsense' },
    { type: 'upload-started', kind: 'urls' },
    { type: 'progressed', progress: progress('complete') },
  ]
  const failed = [{ id: 1, name: 'b', address: 'https://b/', message: 'Gone' }]
  const known = after(...ended, { type: 'failures-known', runId: 7, failed }, { type: 'reset-due', kind: 'urls' })
  assert.deepEqual(
    known.rows.map(({ text }) => text),
    ['https://b', 'nonsense'],
  )
  const unknown = after(...ended, { type: 'reset-due', kind: 'urls' })
  assert.equal(unknown.rows.length, 3, 'all stay until the failed ones are known')
})

test('a delayed reset does not clear a new analysis', () => {
  const flow = after(
    ...complete,
    { type: 'analysis-started' },
    { type: 'analysis-done', preview },
    { type: 'reset-due', kind: 'page' },
  )
  assert.notEqual(flow.preview, null)
})

test('a delayed reset does not clear new input', () => {
  const page = after(
    ...complete,
    { type: 'page-url-typed', text: 'https://example.com/next' },
    { type: 'reset-due', kind: 'page' },
  )
  assert.deepEqual([page.pageUrl, page.preview], ['https://example.com/next', null])
  const list = after(
    { type: 'row-typed', id: 1, text: 'https://a' },
    { type: 'row-added' },
    { type: 'row-typed', id: 2, text: 'https://b' },
    { type: 'upload-started', kind: 'urls' },
    { type: 'progressed', progress: allUploaded },
    { type: 'row-typed', id: 2, text: 'https://c' },
    { type: 'reset-due', kind: 'urls' },
  )
  assert.deepEqual(list.rows, [{ id: 2, text: 'https://c' }])
})

test('starting over resets everything', () => {
  const flow = after(...complete, { type: 'view-changed', change: { pageSize: 96 } }, { type: 'started-over' })
  assert.deepEqual(flow, startFlow())
  const { progress } = after(...complete).run!
  assert.deepEqual(advance(flow, { type: 'progressed', progress: progress! }), flow, 'also when more is heard of it')
})

test('a running upload is shown after a reload, unless the user started something else', () => {
  const found = after({ type: 'run-found', run: goingOn })
  assert.deepEqual(
    [stateOf(found), found.run!.progress!.current, found.run!.progress!.step],
    ['uploading', 3, 'processing'],
  )
  const ended = after({ type: 'run-found', run: { ...goingOn, isComplete: true } })
  assert.equal(stateOf(ended), 'complete')
  assert.equal(after(...previewed, { type: 'run-found', run: goingOn }).run, null)
})

test('input typed before a running upload is found stays after the upload', () => {
  const found: ScrapeStep[] = [
    { type: 'run-found', run: { ...goingOn, kind: 'urls' } },
    { type: 'progressed', progress: progress('complete') },
    { type: 'reset-due', kind: 'urls' },
    { type: 'reset-due', kind: 'page' },
  ]
  const typed = after(
    { type: 'row-typed', id: 1, text: 'https://a' },
    { type: 'page-url-typed', text: 'exam' },
    ...found,
  )
  assert.deepEqual([typed.rows, typed.pageUrl], [[{ id: 1, text: 'https://a' }], 'exam'])
  assert.deepEqual(after(...found).rows, startFlow().rows)
})

test('failure reasons of another run are ignored', () => {
  const failed = [{ id: 1, name: 'a', address: 'https://a', message: 'Gone' }]
  assert.deepEqual(after(...complete, { type: 'failures-known', runId: 7, failed }).run!.failed, failed)
  assert.deepEqual(after(...complete, { type: 'failures-known', runId: 8, failed }).run!.failed, [])
})

test('the reset delay is two seconds', () => {
  assert.equal(resetDelayMs, 2000)
})
