import { useQuery } from '@tanstack/react-query'
import Search from 'lucide-react/icons/search'
import { useState } from 'react'
import { Alert } from '#ui/alert.tsx'
import { Card } from '#ui/card.tsx'
import { Input } from '#ui/input.tsx'
import { Pagination } from '#ui/pagination.tsx'
import { Cell, Row, Table } from '#ui/table.tsx'
import { useDebouncedValue } from '#ui/use-debounced-value.ts'
import type { Column } from './columns.tsx'
import { databaseQueries, firstView, type Lists, pageRows, type RowOf, type RowsView } from './queries.ts'
import { SortHead } from './sort-head.tsx'

const typingPauseMs = 250

type RowsTableProps<Name extends keyof Lists> = { name: Name; label: string; columns: Column<RowOf<Name>>[] }

/** One table, sorted, filtered and paged by the server: a million rows open as quickly as ten. */
export function RowsTable<Name extends keyof Lists>({ name, label, columns }: RowsTableProps<Name>) {
  const [view, setView] = useState<RowsView>(firstView)
  const filter = useDebouncedValue(view.filter, typingPauseMs)
  const { data, isError, isPlaceholderData } = useQuery(databaseQueries.rows(name, { ...view, filter }))
  const total = data?.total ?? 0
  const rows = (data?.rows ?? []) as RowOf<Name>[]
  const first = (view.page - 1) * pageRows
  return (
    <Card isFlush>
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-line border-b p-3">
        <Input
          type="search"
          aria-label={`Filter ${label.toLowerCase()}`}
          placeholder="Filter…"
          leading={<Search aria-hidden="true" />}
          className="max-w-72"
          value={view.filter}
          onChange={(event) => setView({ ...view, page: 1, filter: event.target.value })}
        />
        <p role="status" className="figures text-muted text-sm">
          {total === 0
            ? 'No rows'
            : `${(first + 1).toLocaleString('en')}-${(first + rows.length).toLocaleString('en')} of ${total.toLocaleString('en')}`}
        </p>
      </div>
      {isError && !data ? (
        <Alert title="These rows could not be read" className="m-3" />
      ) : (
        <Table label={label} maxHeight="600px" className={isPlaceholderData ? 'opacity-60' : undefined}>
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
                {columns.map(({ title, isNumeric, className, show }) => (
                  <Cell key={title} isNumeric={isNumeric} className={className}>
                    {show(row)}
                  </Cell>
                ))}
              </Row>
            ))}
          </tbody>
        </Table>
      )}
      {total > pageRows && (
        <Pagination
          label={`Pages of ${label.toLowerCase()}`}
          page={view.page}
          pageCount={Math.ceil(total / pageRows)}
          onPageChange={(page) => setView({ ...view, page })}
          className="border-line border-t p-2"
        />
      )}
    </Card>
  )
}
