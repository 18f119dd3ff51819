import { useFocusThatStays } from '#ui/use-focus-that-stays.ts'
import type { Media } from '../contract.ts'
import type { ItemActions } from './media-card.tsx'
import { MediaRow } from './media-row.tsx'

type MediaListProps = ItemActions & { media: readonly Media[]; isSelecting: boolean; selectedIds: ReadonlySet<number> }

export function MediaList({ media, isSelecting, selectedIds, ...actions }: MediaListProps) {
  const list = useFocusThatStays<HTMLTableSectionElement>(media.map(({ id }) => id).join())
  return (
    <table className="w-full table-fixed border-collapse">
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
          <th>Name</th>
          <th className="w-40 max-lg:hidden">Tags</th>
          <th className="w-24 max-md:hidden">Type</th>
          <th className="w-28 max-lg:hidden">Dimensions</th>
          <th className="w-24 text-right max-sm:hidden">Size</th>
          <th className="w-32 pl-6 max-sm:hidden">{media[0]?.trashedAt ? 'Time left' : 'Added'}</th>
          <th className="w-24">
            <span className="sr-only">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody {...list}>
        {media.map((item) => (
          <MediaRow
            key={item.id}
            media={item}
            isSelecting={isSelecting}
            isSelected={selectedIds.has(item.id)}
            {...actions}
          />
        ))}
      </tbody>
    </table>
  )
}
