import { Button } from '#ui/button.tsx'
import { Chip } from '#ui/chip.tsx'
import { useListFocus } from '#ui/focus/use-list-focus.ts'
import { joinSearch, printFilter, type SearchFilter, takeFilters } from '../../search-query.ts'
import type { SetLibraryView } from '../use-library-view.ts'
import { ColorSwatch } from './color-swatch.tsx'
import { filterLabel } from './filter-labels.ts'

type FilterChipsProps = { search: string; onViewChange: SetLibraryView }

/** The filters of the search, each with a button that removes it. */
export function FilterChips({ search, onViewChange }: FilterChipsProps) {
  const { filters, words } = takeFilters(search)
  const list = useListFocus<HTMLUListElement>(search)
  if (filters.length === 0) return null
  return (
    <ul {...list} aria-label="Filters" className="flex flex-wrap items-center gap-1.5">
      {filters.map((filter) => (
        <li key={printFilter(filter)} className="flex max-w-full">
          <Chip
            icon={filter.name === 'color' ? <ColorSwatch color={filter.value} /> : undefined}
            removeLabel={`Remove filter ${filterLabel(filter)}`}
            onRemove={() => onViewChange({ search: withoutFilter(search, filter) })}
          >
            <bdi>{filterLabel(filter)}</bdi>
          </Chip>
        </li>
      ))}
      {filters.length > 1 && (
        <li>
          <Button variant="quiet" size="sm" onClick={() => onViewChange({ search: words })}>
            Clear all
          </Button>
        </li>
      )}
    </ul>
  )
}

/** The same search without one of its filters. */
export function withoutFilter(search: string, removed: SearchFilter) {
  const { filters, words } = takeFilters(search)
  const text = printFilter(removed)
  return joinSearch(
    words,
    filters.filter((filter) => printFilter(filter) !== text),
  )
}
