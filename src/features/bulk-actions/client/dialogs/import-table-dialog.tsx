import { type ReactNode, useRef, useState } from 'react'
import { useRunId } from '#platform/client/run-id.ts'
import { countOf } from '#shared/count.ts'
import { Button } from '#ui/button.tsx'
import { Checkbox } from '#ui/forms/checkbox.tsx'
import { ImageWithFallback } from '#ui/image-with-fallback.tsx'
import type { TableDifferences } from '../../contract.ts'
import { useApplyTable, useCompareTable } from '../bulk-mutations.ts'
import { BulkDialog } from './bulk-dialog.tsx'

type ChangedRow = TableDifferences['changed'][number]

/** Compares an edited table with the library. Nothing changes until the chosen rows are applied. */
export function ImportTableDialog({ onClose }: { onClose: () => void }) {
  const inputRef = useRef<HTMLInputElement>(null)
  const [file, setFile] = useState<File>()
  const [left, setLeft] = useState<ReadonlySet<number>>(new Set())
  const runId = useRunId()
  const compare = useCompareTable()
  const apply = useApplyTable()
  const found = compare.data
  const chosen = found?.changed.filter(({ id }) => !left.has(id)) ?? []

  function pick(picked: File | undefined) {
    if (!picked) return
    setFile(picked)
    setLeft(new Set())
    compare.mutate(picked)
  }

  function submit() {
    if (!found) return inputRef.current?.click()
    const rows = chosen.map(({ id, cells }) => ({ id, cells }))
    apply.mutate({ rows, name: (file?.name ?? 'table').slice(0, 200), runId }, { onSuccess: onClose })
  }

  return (
    <BulkDialog
      title="Import Table"
      description="Changes names, words and tags as in an edited export. Empty cells change nothing."
      submitLabel={found ? `Apply ${countOf(chosen.length, 'row')}` : 'Choose file…'}
      isDisabled={found && chosen.length === 0}
      isPending={compare.isPending || apply.isPending}
      runId={runId}
      onClose={onClose}
      onSubmit={submit}
    >
      <input
        ref={inputRef}
        type="file"
        hidden
        accept=".csv,.tsv,.txt,.xlsx"
        aria-label="Table"
        onChange={({ target }) => {
          pick(target.files?.[0])
          // Without this, choosing the same file again would fire no change event.
          target.value = ''
        }}
      />
      {!found && (
        <p role="status" className="text-muted text-sm">
          {compare.isPending ? 'Comparing…' : 'CSV or XLSX, up to 10,000 rows, with the column ID of an export.'}
        </p>
      )}
      {found && (
        <>
          <div className="flex items-center justify-between gap-3 text-sm">
            <span className="wrap-anywhere text-muted">{file?.name}</span>
            <Button size="sm" variant="quiet" disabled={apply.isPending} onClick={() => inputRef.current?.click()}>
              Other file…
            </Button>
          </div>
          <Differences found={found} left={left} onLeave={setLeft} isDisabled={apply.isPending} />
        </>
      )}
    </BulkDialog>
  )
}

const shownRows = 200

type DifferencesProps = {
  found: TableDifferences
  /** The ids of the rows that are not applied. */
  left: ReadonlySet<number>
  onLeave: (left: ReadonlySet<number>) => void
  isDisabled: boolean
}

function Differences({ found: { changed, unchanged, unknown, bad }, left, onLeave, isDisabled }: DifferencesProps) {
  const hidden = changed.length - shownRows
  return (
    <>
      {changed.length > 1 && (
        <Checkbox
          label={`All ${countOf(changed.length, 'changed row')}`}
          checked={left.size === 0}
          disabled={isDisabled}
          onCheckedChange={(isOn) => onLeave(new Set(isOn ? [] : changed.map(({ id }) => id)))}
        />
      )}
      {changed.length === 0 && <p className="text-muted">No changes found.</p>}
      <ul aria-label="Changes" className="divide-y divide-line">
        {changed.slice(0, shownRows).map((row) => (
          <DifferenceRow
            key={row.id}
            row={row}
            isChosen={!left.has(row.id)}
            isDisabled={isDisabled}
            onToggle={() => onLeave(left.symmetricDifference(new Set([row.id])))}
          />
        ))}
      </ul>
      {hidden > 0 && <p className="text-muted text-sm">And {countOf(hidden, 'more changed row')}.</p>}
      {unchanged > 0 && <p className="text-muted text-sm">{countOf(unchanged, 'row')} unchanged.</p>}
      {bad.length > 0 && (
        <Problems title={`${countOf(bad.length, 'bad value')}, not applied`}>
          {bad.slice(0, shownRows).map(({ row, column, message }) => (
            <li key={`${row} ${column}`}>
              Row {row}, {labelOf(column)}: {message}
            </li>
          ))}
        </Problems>
      )}
      {unknown.length > 0 && (
        <Problems title={`${countOf(unknown.length, 'unknown ID')}, not applied`}>
          {unknown.slice(0, shownRows).map(({ row, id }) => (
            <li key={row}>
              Row {row}: you have no item {id}.
            </li>
          ))}
        </Problems>
      )}
    </>
  )
}

type DifferenceRowProps = { row: ChangedRow; isChosen: boolean; isDisabled: boolean; onToggle: () => void }

function DifferenceRow({ row, isChosen, isDisabled, onToggle }: DifferenceRowProps) {
  return (
    <li className="flex items-start gap-3 py-3">
      <ImageWithFallback sources={[row.thumbnailUrl]} alt="" className="w-10 shrink-0 rounded-sm" />
      <div className="min-w-0 grow space-y-1">
        <Checkbox
          label={<span className="wrap-anywhere font-medium">{row.filename}</span>}
          checked={isChosen}
          disabled={isDisabled}
          onCheckedChange={onToggle}
        />
        <dl className="wrap-anywhere space-y-1 text-sm">
          {row.cells.map(({ column, before, after }) => (
            <div key={column}>
              <dt className="text-muted">{labelOf(column)}</dt>
              <dd>
                {before && <del className="block text-muted">{before}</del>}
                {after}
              </dd>
            </div>
          ))}
        </dl>
      </div>
    </li>
  )
}

function Problems({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="text-sm">
      <h3 className="font-medium text-danger">{title}</h3>
      <ul className="wrap-anywhere text-muted">{children}</ul>
    </section>
  )
}

const labels: Record<string, string> = { id: 'ID', licence: 'License' }

const labelOf = (column: string) =>
  column.startsWith('alt_')
    ? `Alt text (${column.slice(4)})`
    : (labels[column] ?? column.charAt(0).toUpperCase() + column.slice(1))
