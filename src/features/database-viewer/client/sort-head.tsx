import ArrowDown from 'lucide-react/icons/arrow-down'
import ArrowUp from 'lucide-react/icons/arrow-up'
import { HeadCell } from '#ui/table.tsx'
import type { Column } from './columns.tsx'
import type { RowsView } from './queries.ts'

type SortHeadProps<Row> = { column: Column<Row>; view: RowsView; onSort: (view: RowsView) => void }

export function SortHead<Row>({ column: { title, sort, isNumeric }, view, onSort }: SortHeadProps<Row>) {
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
