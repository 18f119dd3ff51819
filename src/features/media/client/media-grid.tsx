import Plus from 'lucide-react/icons/plus'
import { useDeferredValue } from 'react'
import { classNames } from '#ui/class-names.ts'
import { useListFocus } from '#ui/focus/use-list-focus.ts'
import { Skeleton } from '#ui/skeleton.tsx'
import type { Media } from '../contract.ts'
import type { LibraryView } from '../library-view.ts'
import { cardHeight, MediaCard, MediaCardSpace } from './media-card.tsx'
import { type DateKind, groupByMonth, monthLabel } from './months/month-groups.ts'
import { MonthHeading } from './months/month-heading.tsx'
import type { ItemActions } from './press-item.ts'

type MediaGridProps = ItemActions & {
  media: readonly Media[]
  isSelecting: boolean
  selectedIds: ReadonlySet<number>
  /** Shows a heading above the items of each month. */
  months?: DateKind
  /** The position of the first item among all pages, and the number of items, which is -1 if it is unknown. */
  firstPosition?: number
  count?: number
  /** The collection that the grid shows. Its name is not repeated on the cards. */
  inCollection?: number
  onAdd?: () => void
}

/** Cards of about the first screen are rendered and loaded before the others. */
const urgentCards = 12
const skeletonCards = 10
const columns = classNames(
  'grid grid-cols-[repeat(var(--columns),minmax(0,1fr))] gap-x-4 gap-y-3',
  '[--columns:2] sm:[--columns:3] md:[--columns:4] lg:[--columns:5] xl:[--columns:6]',
)
/** Off-screen cards estimate their height from this width. */
const columnWidth = '@container [--column-width:calc((100cqw-(var(--columns)-1)*1rem)/var(--columns))]'

/** 2 columns on small screens up to 6 on very large ones. The layout is pure CSS, so nothing is measured. */
export function MediaGrid({ months, onAdd, ...props }: MediaGridProps) {
  // The first cards are painted, and request their pictures, before React renders the others in the background.
  const isWhole = useDeferredValue(true, false)
  if (!months) return <CardList {...props} isWhole={isWhole} onAdd={onAdd} />
  const groups = groupByMonth(props.media, months)
  return (
    <div className="space-y-4">
      {groups.map(({ month, first, items }) => (
        <section key={month}>
          <MonthHeading month={month} />
          <CardList
            {...props}
            media={items}
            first={first}
            label={`Items from ${monthLabel(month)}`}
            isWhole={isWhole}
            onAdd={first + items.length === props.media.length ? onAdd : undefined}
          />
        </section>
      ))}
    </div>
  )
}

type CardListProps = Omit<MediaGridProps, 'months'> & {
  /** The index of the first item in the page. */
  first?: number
  label?: string
  isWhole: boolean
}

function CardList(props: CardListProps) {
  const {
    media,
    first = 0,
    label = 'Items',
    isWhole,
    isSelecting,
    selectedIds,
    firstPosition,
    count,
    ...others
  } = props
  const { inCollection, onAdd, ...actions } = others
  const list = useListFocus<HTMLUListElement>(media.map(({ id }) => id).join())
  return (
    <ul {...list} aria-label={label} className={classNames(columns, columnWidth)}>
      {media.map((item, inList) => {
        const index = first + inList
        return isWhole || index < urgentCards ? (
          <MediaCard
            key={item.id}
            media={item}
            isSelecting={isSelecting}
            isSelected={selectedIds.has(item.id)}
            isDimmed={selectedIds.size > 0 && !selectedIds.has(item.id)}
            isUrgent={index < urgentCards}
            position={firstPosition === undefined ? undefined : firstPosition + index}
            count={count}
            inCollection={inCollection}
            {...actions}
          />
        ) : (
          <MediaCardSpace key={item.id} />
        )
      })}
      {onAdd && (
        <li>
          <AddTile onAdd={onAdd} />
        </li>
      )}
    </ul>
  )
}

/** Placeholders in the layout of the items: cards, or rows below the table's head. */
export function MediaSkeleton({ layout }: Pick<LibraryView, 'layout'>) {
  const isGrid = layout === 'grid'
  const items = Array.from({ length: skeletonCards }, (_, index) => (
    <div
      // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity
      key={index}
      data-testid="skeleton-card"
      className={
        isGrid
          ? classNames('flex h-(--card-height) flex-col gap-2', cardHeight)
          : 'flex h-12 items-center gap-2 border-line border-b pl-2'
      }
    >
      <Skeleton className={isGrid ? 'aspect-square rounded-picture' : 'size-10'} />
      <Skeleton className={isGrid ? 'h-4 w-3/4' : 'h-4 w-1/3'} />
      {isGrid && <Skeleton className="h-3 w-1/2" />}
    </div>
  ))
  return isGrid ? <div className={classNames(columns, columnWidth)}>{items}</div> : <div className="pt-9">{items}</div>
}

function AddTile({ onAdd }: { onAdd: () => void }) {
  return (
    <button
      type="button"
      tabIndex={0}
      onClick={onAdd}
      className={classNames(
        'grid aspect-square w-full place-items-center content-center gap-2 rounded-picture',
        'border border-line-strong border-dashed text-muted text-sm hover:border-muted hover:text-ink',
      )}
    >
      <Plus aria-hidden="true" className="size-5" />
      Add Media
    </button>
  )
}
