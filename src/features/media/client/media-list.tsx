import ChevronDown from 'lucide-react/icons/chevron-down'
import { useDeferredValue } from 'react'
import { classNames } from '#ui/class-names.ts'
import { useListFocus } from '#ui/focus/use-list-focus.ts'
import type { Media } from '../contract.ts'
import { shownDirection, shownSort, sortBy, turnTo } from '../library-view.ts'
import type { Sort } from '../limits.ts'
import { MediaRow, MediaRowSpace } from './media-row.tsx'
import { type DateKind, groupByMonth, monthLabel } from './months/month-groups.ts'
import type { ItemActions } from './press-item.ts'
import { useLibraryView } from './use-library-view.ts'

/** Rows of about the first screen. */
const urgentRows = 20

type MediaListProps = ItemActions & {
  media: readonly Media[]
  isSelecting: boolean
  selectedIds: ReadonlySet<number>
  /** Shows a heading above the items of each month. */
  months?: DateKind
}

export function MediaList({ months, ...props }: MediaListProps) {
  const { media, isSelecting } = props
  // As in the grid, the first rows are painted before React renders the others in the background.
  const isWhole = useDeferredValue(true, false)
  return (
    // `border-spacing` has no effect with collapsed borders. It changes at each breakpoint because WebKit otherwise keeps the
    // old column widths when a window becomes narrower.
    <table className="w-full table-fixed border-collapse sm:border-spacing-px md:border-spacing-0.5 lg:border-spacing-1 xl:border-spacing-1.5">
      <thead className="sticky top-14 z-10 bg-canvas text-left text-faint text-xs">
        <tr className="h-9 border-line border-b [&>th]:font-medium">
          {isSelecting && (
            <th className="w-9">
              <span className="sr-only">Selected</span>
            </th>
          )}
          <th className="w-14">
            <span className="sr-only">Preview</span>
          </th>
          <SortHead sort="name" label="Name" />
          <th className="w-40 max-xl:hidden min-[100rem]:w-72 min-[120rem]:w-1/3">Tags</th>
          <SortHead sort="type" label="Type" className="w-20 max-md:hidden" />
          <th className="w-28 max-lg:hidden">Dimensions</th>
          <SortHead sort="size" label="Size" className="w-24 text-right max-sm:hidden" />
          {media[0]?.trashedAt ? (
            <th className="w-30 pl-6 max-sm:hidden">Time left</th>
          ) : (
            <SortHead sort="recent" label="Added" className="w-30 pl-6 max-sm:hidden" />
          )}
          <th className="w-24">
            <span className="sr-only">Actions</span>
          </th>
        </tr>
      </thead>
      {months ? (
        groupByMonth(media, months).map(({ month, first, items }) => (
          <Rows key={month} {...props} media={items} first={first} month={month} isWhole={isWhole} />
        ))
      ) : (
        <Rows {...props} isWhole={isWhole} />
      )}
    </table>
  )
}

type RowsProps = Omit<MediaListProps, 'months'> & { first?: number; month?: string; isWhole: boolean }

function Rows({ media, first = 0, month, isWhole, isSelecting, selectedIds, ...actions }: RowsProps) {
  const list = useListFocus<HTMLTableSectionElement>(media.map(({ id }) => id).join())
  return (
    <>
      {month && (
        <tbody className="sticky top-[calc(5.75rem-1px)] z-9 bg-canvas">
          <tr>
            {/* The columns that are always there, since others are hidden on small screens. */}
            <th colSpan={isSelecting ? 3 : 2} scope="rowgroup" className="text-left">
              {/* The shadow covers the rows below it in the columns that have no cell here, and so no background. */}
              <h2
                data-month={month}
                className="scroll-mt-23 bg-canvas px-2 py-2 font-medium text-sm [box-shadow:0_0_0_100vw_var(--canvas)] [clip-path:inset(0_-100vw_0_0)]"
              >
                {monthLabel(month)}
              </h2>
            </th>
          </tr>
        </tbody>
      )}
      <tbody {...list}>
        {media.map((item, index) =>
          isWhole || first + index < urgentRows ? (
            <MediaRow
              key={item.id}
              media={item}
              isSelecting={isSelecting}
              isSelected={selectedIds.has(item.id)}
              {...actions}
            />
          ) : (
            <MediaRowSpace key={item.id} />
          ),
        )}
      </tbody>
    </>
  )
}

function SortHead({ sort, label, className }: { sort: Sort; label: string; className?: string }) {
  const [view, setView] = useLibraryView()
  const direction = shownSort(view) === sort ? shownDirection(view) : undefined
  const isDescending = direction === 'desc'
  return (
    <th aria-sort={direction && (isDescending ? 'descending' : 'ascending')} className={className}>
      <button
        type="button"
        tabIndex={0}
        // A second press turns the order around.
        onClick={() => setView(direction ? turnTo(view, isDescending ? 'asc' : 'desc') : sortBy(view, sort))}
        className={classNames('h-9 rounded-sm hover:text-ink', direction && 'text-ink')}
      >
        {label}
        {direction && (
          <ChevronDown aria-hidden="true" className={classNames('ml-0.5 inline', !isDescending && 'rotate-180')} />
        )}
      </button>
    </th>
  )
}
