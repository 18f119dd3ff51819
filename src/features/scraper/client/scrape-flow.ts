import type { FailedImage, RunProgress, RunSource, ScrapePreview, ScrapeRun } from '../contract.ts'
import { toWebAddress } from '../web-address.ts'
import { changeView, firstView, type ResultsView } from './result-pages.ts'
import { addRow, changeRow, oneEmptyRow, removeRow, type UrlRow } from './url-rows.ts'

/** After an upload the form and the preview are reset with this delay. */
export const resetDelayMs = 2000

export type Run = {
  kind: RunSource
  progress: RunProgress | null
  failed: FailedImage[]
  /** The field values when the upload was started on this page; the fields are disabled meanwhile. */
  entered: Entered
  /** The previous run with its failures, shown again if this one cannot start. */
  earlier: Run | null
}
type Entered = Pick<ScrapeFlow, 'pageUrl' | 'rows'>

/** Kept names, web names, or web names by an own pattern. */
export type Naming = { names: 'keep' | 'web' | 'custom'; pattern: string }

export type ScrapeFlow = {
  pageUrl: string
  rows: UrlRow[]
  isAnalyzing: boolean
  preview: ScrapePreview | null
  selectedIds: ReadonlySet<string>
  naming: Naming
  view: ResultsView
  run: Run | null
  error: string | null
}

export type ScrapeStep =
  | { type: 'page-url-typed'; text: string }
  | { type: 'row-typed'; id: number; text: string }
  | { type: 'row-added' }
  | { type: 'row-removed'; id: number }
  | { type: 'analysis-started' }
  | { type: 'analysis-done'; preview: ScrapePreview }
  | { type: 'toggled'; id: string }
  | { type: 'all-selected' }
  | { type: 'all-cleared' }
  | { type: 'naming-changed'; change: Partial<Naming> }
  | { type: 'view-changed'; change: Partial<ResultsView> }
  | { type: 'upload-started'; kind: RunSource }
  | { type: 'progressed'; progress: RunProgress }
  | { type: 'waiting' }
  | { type: 'failures-known'; runId: number; failed: FailedImage[] }
  | { type: 'run-found'; run: ScrapeRun }
  | { type: 'failed'; message: string }
  | { type: 'reset-due'; kind: RunSource }
  | { type: 'started-over' }

export function startFlow(): ScrapeFlow {
  return {
    pageUrl: '',
    rows: oneEmptyRow(),
    isAnalyzing: false,
    preview: null,
    selectedIds: new Set(),
    naming: { names: 'keep', pattern: '' },
    view: firstView,
    run: null,
    error: null,
  }
}

/** The pattern of the names, or nothing for names that are kept. */
export function patternOf({ naming }: Pick<ScrapeFlow, 'naming'>): string | undefined {
  if (naming.names === 'keep') return undefined
  return naming.names === 'custom' ? naming.pattern.trim() : ''
}

export type FlowState = 'idle' | 'analyzing' | 'preview' | 'uploading' | 'complete'

export function stateOf({ isAnalyzing, preview, run }: ScrapeFlow): FlowState {
  if (isAnalyzing) return 'analyzing'
  if (run) return run.progress?.step === 'complete' ? 'complete' : 'uploading'
  return preview ? 'preview' : 'idle'
}

export function advance(flow: ScrapeFlow, step: ScrapeStep): ScrapeFlow {
  switch (step.type) {
    case 'page-url-typed':
      return { ...flow, pageUrl: step.text }
    case 'row-typed':
      return { ...flow, rows: changeRow(flow.rows, step.id, step.text) }
    case 'row-added':
      return { ...flow, rows: addRow(flow.rows) }
    case 'row-removed':
      return { ...flow, rows: removeRow(flow.rows, step.id) }
    case 'analysis-started':
      return { ...flow, isAnalyzing: true, ...noPreview, run: null, error: null }
    case 'analysis-done':
      return { ...flow, isAnalyzing: false, preview: step.preview, view: { ...flow.view, page: 1 } }
    case 'toggled':
      return { ...flow, selectedIds: flow.selectedIds.symmetricDifference(new Set([step.id])) }
    case 'all-selected':
      return { ...flow, selectedIds: new Set(flow.preview?.images.map(({ id }) => id)) }
    case 'all-cleared':
      return { ...flow, selectedIds: new Set() }
    case 'naming-changed':
      return { ...flow, naming: { ...flow.naming, ...step.change } }
    case 'view-changed':
      return { ...flow, view: changeView(flow.view, step.change) }
    case 'upload-started':
      return { ...flow, error: null, run: newRun(step.kind, flow) }
    case 'progressed':
      return flow.run ? { ...flow, run: { ...flow.run, progress: step.progress, earlier: null } } : flow
    case 'waiting':
      return flow.run?.progress ? { ...flow, run: { ...flow.run, progress: waitingFor(flow.run.progress) } } : flow
    case 'failures-known':
      return flow.run?.progress?.runId === step.runId ? { ...flow, run: { ...flow.run, failed: step.failed } } : flow
    case 'run-found':
      // If the user has started something meanwhile, that stays.
      return stateOf(flow) === 'idle' ? { ...flow, run: toRun(step.run) } : flow
    case 'failed':
      return { ...flow, isAnalyzing: false, run: flow.run?.earlier ?? null, error: step.message }
    case 'reset-due':
      if (!flow.run || stateOf(flow) !== 'complete') return flow
      return step.kind === 'page' ? clearPage(flow, flow.run.entered) : clearRows(flow, flow.run)
    case 'started-over':
      return startFlow()
  }
}

const waitingFor = (progress: RunProgress) => ({ ...progress, message: 'The server is not responding. Waiting…' })

const noPreview = { preview: null, selectedIds: new Set<string>() }

const fieldsOf = ({ pageUrl, rows }: ScrapeFlow): Entered => ({ pageUrl, rows })

const newRun = (kind: RunSource, flow: ScrapeFlow): Run => ({
  kind,
  progress: null,
  failed: [],
  entered: fieldsOf(flow),
  earlier: flow.run,
})

// Input typed since the upload started is for the next one, and stays.
function clearPage(flow: ScrapeFlow, entered: Entered): ScrapeFlow {
  return { ...flow, ...noPreview, pageUrl: flow.pageUrl === entered.pageUrl ? '' : flow.pageUrl }
}

/** Addresses that were not uploaded stay, so that they can be corrected or tried again. */
function clearRows(flow: ScrapeFlow, { entered, failed, progress }: Run): ScrapeFlow {
  const areFailuresKnown = failed.length === progress?.results.errorCount
  const isUploaded = (text: string) => {
    const address = toWebAddress(text)
    return address !== null && areFailuresKnown && !failed.some((image) => image.address === address)
  }
  const left = flow.rows.filter(
    (row) => !entered.rows.includes(row) || (row.text.trim() !== '' && !isUploaded(row.text)),
  )
  return { ...flow, rows: left.length > 0 ? left : oneEmptyRow(flow.rows) }
}

/** A stored run has the same shape as its last event. */
function toRun(run: ScrapeRun): Run {
  const { id, kind, isComplete, total, successCount, errorCount, stoppedCount, failed } = run
  const current = successCount + errorCount
  const results = { successCount, errorCount }
  const step = isComplete ? 'complete' : current === 0 ? 'starting' : 'processing'
  const message = isComplete ? 'Upload complete' : 'Uploading images...'
  return {
    kind,
    failed,
    // Another page started it; the current fields may hold new input.
    entered: { pageUrl: '', rows: [] },
    earlier: null,
    progress: { step, message, current, total, results, stoppedCount, runId: id },
  }
}
