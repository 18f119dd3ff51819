import { useQuery } from '@tanstack/react-query'
import ArrowDown from 'lucide-react/icons/arrow-down'
import ArrowUp from 'lucide-react/icons/arrow-up'
import Search from 'lucide-react/icons/search'
import { useState } from 'react'
import { failureReason } from '#platform/client/call.ts'
import { Card } from '#ui/card.tsx'
import { classNames } from '#ui/class-names.ts'
import { Input } from '#ui/forms/input.tsx'
import { LoadFailure } from '#ui/load-failure.tsx'
import { Pagination } from '#ui/pagination.tsx'
import { Cell, HeadCell, Row, RowHead, Table } from '#ui/table.tsx'
import { useDebouncedValue } from '#ui/use-debounced-value.ts'
import type { Column } from './columns.tsx'
import { databaseQueries, firstView, type Lists, pageRows, type RowOf, type RowsView } from './queries.ts'

const typingPauseMs = 250

type RowsTableProps<Name extends keyof Lists> = {
  name: Name
  label: string
  columns: Column<RowOf<Name>>[]
  /** As high with few rows as with many. */
  hasFixedHeight?: boolean
}

/** One table, sorted, filtered and paged by the server: a million rows open as quickly as ten. */
export function RowsTable<Name extends keyof Lists>(props: RowsTableProps<Name>) {
  const { name, label, columns, hasFixedHeight } = props
  const [view, setView] = useState<RowsView>(firstView)
  const filter = useDebouncedValue(view.filter, typingPauseMs)
  const { data, error, isPlaceholderData, refetch } = useQuery(databaseQueries.rows(name, { ...view, filter }))
  const rows = (data?.rows ?? []) as RowOf<Name>[]
  const pageCount = Math.max(1, Math.ceil((data?.total ?? 0) / pageRows))
  // Rows that went meanwhile can take the last page along.
  if (data && !isPlaceholderData && view.page > pageCount) setView({ ...view, page: pageCount })
  return (
    <Card isFlush>
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-line border-b p-3">
        <Input
          type="search"
          aria-label={`Filter ${label.toLowerCase()}`}
          placeholder="Filter…"
          leading={<Search aria-hidden="true" />}
          className="sm:max-w-72"
          value={view.filter}
          onChange={(event) => setView({ ...view, page: 1, filter: event.target.value })}
        />
        <p role="status" className="figures text-muted text-sm">
          {data && rangeOf(data)}
        </p>
      </div>
      {error && !data ? (
        <div className="p-3">
          <LoadFailure what="rows" why={failureReason(error)} onRetry={() => void refetch()} />
        </div>
      ) : (
        <Table
          label={`Table of ${label.toLowerCase()}`}
          maxHeight="600px"
          className={classNames(hasFixedHeight && 'h-[600px]', isPlaceholderData && 'opacity-60')}
        >
          <thead>
            <tr>
              {columns.map((column) => (
                <SortHead key={column.title} column={column} view={view} onSort={setView} />
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a page of rows is replaced as a whole
              <Row key={index}>
                {columns.map(({ title, isNumeric, isName, className, show }) => {
                  const OneCell = isName ? RowHead : Cell
                  return (
                    <OneCell key={title} isNumeric={isNumeric} className={className}>
                      {show(row)}
                    </OneCell>
                  )
                })}
              </Row>
            ))}
          </tbody>
        </Table>
      )}
      {pageCount > 1 && (
        <Pagination
          label={`Pages of ${label.toLowerCase()}`}
          page={view.page}
          pageCount={pageCount}
          onPageChange={(page) => setView({ ...view, page })}
          className="border-line border-t p-2"
        />
      )}
    </Card>
  )
}

/** "101-200 of 1,234", of the rows that are shown: the next page may still be on its way. */
function rangeOf({ rows, offset, total }: { rows: readonly unknown[]; offset: number; total: number }) {
  if (rows.length === 0) return total === 0 && 'No rows'
  return `${(offset + 1).toLocaleString('en')}-${(offset + rows.length).toLocaleString('en')} of ${total.toLocaleString('en')}`
}

type SortHeadProps<Row> = { column: Column<Row>; view: RowsView; onSort: (view: RowsView) => void }

function SortHead<Row>({ column: { title, sort, isNumeric }, view, onSort }: SortHeadProps<Row>) {
  if (!sort) return <HeadCell isNumeric={isNumeric}>{title}</HeadCell>
  const isSorted = view.sort === sort
  const isAscending = view.order === 'asc'
  const next = isSorted && isAscending ? ('desc' as const) : ('asc' as const)
  const Arrow = isAscending ? ArrowUp : ArrowDown
  return (
    <HeadCell isNumeric={isNumeric} aria-sort={isSorted ? (isAscending ? 'ascending' : 'descending') : 'none'}>
      <button
        type="button"
        tabIndex={0}
        className="inline-flex items-center gap-1 rounded-sm font-medium hover:text-ink"
        onClick={() => onSort({ ...view, page: 1, sort, order: next })}
      >
        {title}
        {isSorted && <Arrow aria-hidden="true" />}
      </button>
    </HeadCell>
  )
}
