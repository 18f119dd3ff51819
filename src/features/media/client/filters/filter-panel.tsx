import { type ReactNode, type RefObject, useEffect, useRef } from 'react'
import { Button } from '#ui/button.tsx'
import { Chip } from '#ui/chip.tsx'
import { Dialog } from '#ui/layers/dialog.tsx'
import { FloatingLayer } from '#ui/layers/floating-layer.tsx'
import { filterValues, joinSearch, printFilter, type SearchFilter, takeFilters } from '../../search-query.ts'
import { ColorSwatch } from './color-swatch.tsx'
import { filterLabels, valueLabel } from './filter-labels.ts'
import { NameFilter } from './name-filter.tsx'
import { DateFilter, NumberFilter } from './range-filter.tsx'

type FilterPanelProps = {
  anchorRef: RefObject<HTMLButtonElement | null>
  /** Rises from below instead, on phones. */
  isSheet: boolean
  search: string
  onSearchChange: (search: string) => void
  onClose: () => void
}

/** All filters of the query language. Each change applies at once. */
export function FilterPanel({ anchorRef, isSheet, search, onSearchChange, onClose }: FilterPanelProps) {
  const { filters, words } = takeFilters(search)
  const change = (changed: SearchFilter[]) => onSearchChange(joinSearch(words, changed))
  const clear = filters.length > 0 && <Button onClick={() => change([])}>Clear all</Button>
  if (isSheet)
    return (
      <Dialog
        title="Filters"
        onClose={onClose}
        footer={
          <>
            {clear}
            <Button variant="primary" onClick={onClose}>
              Done
            </Button>
          </>
        }
      >
        <FilterFields filters={filters} onChange={change} />
      </Dialog>
    )
  return (
    <PanelLayer anchorRef={anchorRef} onClose={onClose}>
      <FilterFields filters={filters} onChange={change} />
      {clear && <div className="mt-4 flex justify-end border-line border-t pt-3">{clear}</div>}
    </PanelLayer>
  )
}

type PanelLayerProps = Pick<FilterPanelProps, 'anchorRef' | 'onClose'> & { children: ReactNode }

function PanelLayer({ anchorRef, onClose, children }: PanelLayerProps) {
  const layerRef = useRef<HTMLDivElement>(null)
  useEffect(() => layerRef.current?.querySelector('button')?.focus({ preventScroll: true }), [])
  const close = () => {
    // Only if the focus is inside; a click elsewhere has already moved it.
    if (layerRef.current?.contains(document.activeElement)) anchorRef.current?.focus({ preventScroll: true })
    onClose()
  }
  return (
    <FloatingLayer
      role="dialog"
      aria-label="Filters"
      tabIndex={-1}
      anchorRef={anchorRef}
      layerRef={layerRef}
      align="end"
      onDismiss={close}
      className="w-[37rem] max-w-[calc(100vw-1rem)] p-4"
    >
      {children}
    </FloatingLayer>
  )
}

type FilterFieldsProps = { filters: readonly SearchFilter[]; onChange: (filters: SearchFilter[]) => void }
type ListedName = keyof typeof filterValues

const pairs = 'grid gap-x-4 gap-y-3.5 sm:grid-cols-2'
const triples = 'grid gap-x-4 gap-y-3.5 sm:grid-cols-3'

function FilterFields(props: FilterFieldsProps) {
  return (
    <div className="space-y-3.5">
      <div className={pairs}>
        <ValueFilter name="type" {...props} />
        <ValueFilter name="shape" {...props} />
      </div>
      <ValueFilter name="color" {...props} />
      <ValueFilter name="is" {...props} />
      <div className={triples}>
        {(['tag', 'in', 'website', 'place', 'camera'] as const).map((name) => (
          <NameFilter key={name} name={name} {...props} />
        ))}
      </div>
      <div className={pairs}>
        <DateFilter name="taken" {...props} />
        <DateFilter name="added" {...props} />
        <NumberFilter name="size" unit="MB" {...props} />
        <NumberFilter name="width" unit="px" {...props} />
      </div>
      <ValueFilter name="format" {...props} />
    </div>
  )
}

/** The values of a filter with a fixed list, as toggle buttons. */
function ValueFilter({ name, filters, onChange }: FilterFieldsProps & { name: ListedName }) {
  const toggle = (value: string) => {
    const toggled: SearchFilter = { name, value, isExcluded: false }
    const others = filters.filter((filter) => printFilter(filter) !== printFilter(toggled))
    onChange(others.length < filters.length ? others : [...filters, toggled])
  }
  return (
    <fieldset>
      <legend className="mb-1.5 font-medium text-sm">{filterLabels[name]}</legend>
      <div className="flex flex-wrap gap-1.5">
        {filterValues[name].map((value) => (
          <Chip
            key={value}
            icon={name === 'color' ? <ColorSwatch color={value} /> : undefined}
            isPressed={filters.some((filter) => filter.name === name && filter.value === value && !filter.isExcluded)}
            onPress={() => toggle(value)}
          >
            {valueLabel(name, value)}
          </Chip>
        ))}
      </div>
    </fieldset>
  )
}
