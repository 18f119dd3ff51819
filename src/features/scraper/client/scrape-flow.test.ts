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

test('a scrape goes from idle through analysis, preview and upload to its end', () => {
  assert.equal(stateOf(after()), 'idle')
  assert.equal(stateOf(after(...previewed.slice(0, 2))), 'analyzing')
  assert.equal(stateOf(after(...previewed)), 'preview')
  assert.equal(stateOf(after(...uploading)), 'uploading')
  assert.equal(stateOf(after(...uploading, { type: 'progressed', progress: progress('processing') })), 'uploading')
  assert.equal(stateOf(after(...complete)), 'complete')
})

test('images are selected one by one, all, or none', () => {
  assert.equal(after(...previewed).selectedIds.size, 0)
  assert.deepEqual([...after(...previewed, { type: 'toggled', id: 'b' }).selectedIds], ['b'])
  assert.equal(after(...previewed, { type: 'toggled', id: 'b' }, { type: 'toggled', id: 'b' }).selectedIds.size, 0)
  assert.equal(after(...previewed, { type: 'all-selected' }).selectedIds.size, 2)
  assert.equal(after(...previewed, { type: 'all-selected' }, { type: 'all-cleared' }).selectedIds.size, 0)
})

test('a new analysis clears the error, the preview and the selection of before', () => {
  const flow = after(
    ...previewed,
    { type: 'all-selected' },
    { type: 'failed', message: 'No' },
    { type: 'analysis-started' },
  )
  assert.deepEqual([flow.error, flow.preview, flow.selectedIds.size, flow.run], [null, null, 0, null])
  assert.equal(flow.pageUrl, 'https://example.com')
})

test('a failure is told, and what was chosen stays', () => {
  const flow = after(...uploading, { type: 'failed', message: 'The site is gone' })
  assert.deepEqual([flow.error, stateOf(flow), flow.selectedIds.size], ['The site is gone', 'preview', 2])
  assert.equal(stateOf(after(...previewed.slice(0, 2), { type: 'failed', message: 'No' })), 'idle')
})

test('what failed in an upload stays when trying it again cannot begin', () => {
  const failed = [{ id: 1, name: 'a', address: 'https://a', message: 'Gone' }]
  const ended = [...complete, { type: 'failures-known', runId: 7, failed }, { type: 'upload-started', kind: 'page' }]
  const flow = after(...(ended as ScrapeStep[]), { type: 'failed', message: 'No' })
  assert.deepEqual([stateOf(flow), flow.error, flow.run!.failed], ['complete', 'No', failed])
})

test('a while after its end the preview and the address are cleared, and the card stays', () => {
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

test('addresses that failed stay in their fields', () => {
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
  assert.equal(unknown.rows.length, 3, 'all stay while it is not known which ones failed')
})

test('the clearing comes too late for whoever has begun something new', () => {
  const flow = after(
    ...complete,
    { type: 'analysis-started' },
    { type: 'analysis-done', preview },
    { type: 'reset-due', kind: 'page' },
  )
  assert.notEqual(flow.preview, null)
})

test('what is typed meanwhile for the next upload is not cleared', () => {
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

test('a run that goes on is shown after a reload, unless something else was begun', () => {
  const found = after({ type: 'run-found', run: goingOn })
  assert.deepEqual(
    [stateOf(found), found.run!.progress!.current, found.run!.progress!.step],
    ['uploading', 3, 'processing'],
  )
  const ended = after({ type: 'run-found', run: { ...goingOn, isComplete: true } })
  assert.equal(stateOf(ended), 'complete')
  assert.equal(after(...previewed, { type: 'run-found', run: goingOn }).run, null)
})

test('what is half typed when a run is found is not what that uploads, and stays at its end', () => {
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

test('reasons belong to the run they were asked for', () => {
  const failed = [{ id: 1, name: 'a', address: 'https://a', message: 'Gone' }]
  assert.deepEqual(after(...complete, { type: 'failures-known', runId: 7, failed }).run!.failed, failed)
  assert.deepEqual(after(...complete, { type: 'failures-known', runId: 8, failed }).run!.failed, [])
})

test('the delay before what was uploaded makes room for the next is two seconds', () => {
  assert.equal(resetDelayMs, 2000)
})
