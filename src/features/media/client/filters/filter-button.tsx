import ListFilter from 'lucide-react/icons/list-filter'
import { useRef, useState } from 'react'
import { Button } from '#ui/button.tsx'
import { classNames } from '#ui/class-names.ts'
import { LazyBoundary } from '#ui/lazy-boundary.tsx'
import { lazyComponent } from '#ui/lazy-component.tsx'
import { takeFilters } from '../../search-query.ts'
import type { SetLibraryView } from '../use-library-view.ts'

const FilterPanel = lazyComponent(
  () => import('./filter-panel.tsx'),
  ({ FilterPanel }) => FilterPanel,
)

type FilterButtonProps = { search: string; isPhone: boolean; onViewChange: SetLibraryView }

/** Opens all filters of the search, with their number on it. */
export function FilterButton({ search, isPhone, onViewChange }: FilterButtonProps) {
  const ref = useRef<HTMLButtonElement>(null)
  const [isOpen, setIsOpen] = useState(false)
  const count = takeFilters(search).filters.length
  const close = () => setIsOpen(false)
  return (
    <>
      <Button
        ref={ref}
        icon={<ListFilter aria-hidden="true" />}
        variant={isPhone ? 'quiet' : 'secondary'}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onPointerEnter={FilterPanel.preload}
        onClick={() => setIsOpen(!isOpen)}
        className={classNames(isPhone && 'w-9 px-0', isPhone && count > 0 && 'text-accent')}
      >
        <span className={classNames(isPhone && 'sr-only')}>Filters</span>
        {count > 0 && (
          <span
            className={classNames(
              'figures grid h-4.5 min-w-4.5 place-items-center rounded-full bg-accent px-1 text-on-accent text-xs',
              isPhone && 'absolute -top-0.5 -right-0.5',
            )}
          >
            {count}
            <span className="sr-only"> active</span>
          </span>
        )}
      </Button>
      {isOpen && (
        <LazyBoundary onFailed={close}>
          <FilterPanel
            anchorRef={ref}
            isSheet={isPhone}
            search={search}
            onSearchChange={(changed) => onViewChange({ search: changed })}
            onClose={close}
          />
        </LazyBoundary>
      )}
    </>
  )
}
