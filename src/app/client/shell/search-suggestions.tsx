import { keepPreviousData, useQuery } from '@tanstack/react-query'
import Camera from 'lucide-react/icons/camera'
import Folder from 'lucide-react/icons/folder'
import Globe from 'lucide-react/icons/globe'
import History from 'lucide-react/icons/history'
import ListFilter from 'lucide-react/icons/list-filter'
import MapPin from 'lucide-react/icons/map-pin'
import Tag from 'lucide-react/icons/tag'
import Trash from 'lucide-react/icons/trash-2'
import X from 'lucide-react/icons/x'
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useImperativeHandle, useState } from 'react'
import { useUser } from '#features/auth/client/queries.ts'
import { ColorSwatch } from '#features/media/client/filters/color-swatch.tsx'
import { filterLabels, valueLabel } from '#features/media/client/filters/filter-labels.ts'
import { mediaQueries } from '#features/media/client/queries.ts'
import type { Suggestion } from '#features/media/finding-contract.ts'
import { takeFilters } from '#features/media/search-query.ts'
import { ListOption } from '#ui/forms/list-option.tsx'
import { FloatingLayer } from '#ui/layers/floating-layer.tsx'
import { useDebouncedValue } from '#ui/use-debounced-value.ts'
import { forgetAllSearches, forgetSearch, readRecentSearches } from './recent-searches.ts'

const restMs = 120
const shownRecent = { alone: 5, aboveOthers: 2 }

/** Returns whether the key was meant for the list. */
export type SuggestionKeys = (event: KeyboardEvent) => boolean

export type Chosen =
  | { kind: 'recent'; search: string }
  /** `isWhole`: it is a filter with its value, so the search can run. */
  | { kind: 'text'; text: string; isWhole: boolean }

type SearchSuggestionsProps = {
  id: string
  text: string
  anchorRef: RefObject<HTMLElement | null>
  keysRef: RefObject<SuggestionKeys | null>
  /** The options that are shown, and the active one, for the field's attributes. */
  onShow: (shown: { activeId?: string } | undefined) => void
  onChoose: (chosen: Chosen) => void
  onDismiss: () => void
}

type Option = {
  id: string
  icon: ReactNode
  label: string
  /** What kind of thing it is, for screen readers and eyes. */
  detail?: string
  count?: number
  /** The recent search that it removes with its cross or the Delete key. */
  recent?: string
  choose: () => void
}

/** The list below the search box. The focus stays in the box: arrow keys and Enter choose. */
export function SearchSuggestions(props: SearchSuggestionsProps) {
  const { id, text, anchorRef, keysRef, onShow, onChoose, onDismiss } = props
  const userId = useUser()?.id ?? 0
  const [recent, setRecent] = useState(() => readRecentSearches(userId))
  const settled = useDebouncedValue(text, restMs)
  const { data } = useQuery({ ...mediaQueries.suggestions(settled), placeholderData: keepPreviousData })
  const [active, setActive] = useState<string>()

  const typed = text.trim().toLowerCase()
  const matching = recent.filter((search) => search !== text.trim() && search.toLowerCase().startsWith(typed))
  const remembered = matching.slice(0, typed === '' ? shownRecent.alone : shownRecent.aboveOthers)
  // After a word and a space, a list of all filters would only be in the way.
  const isBetween = typed !== '' && /\s$/.test(text)
  const suggestions = (data?.suggestions ?? []).filter(({ kind }) => kind !== 'filter' || !isBetween)
  const complete = ({ kind, text: found }: Suggestion) => {
    const { search, from, to } = data!
    const isWhole = kind !== 'filter'
    const completed = `${search.slice(0, from)}${found}${isWhole ? ' ' : ''}${search.slice(to).trimStart()}`
    onChoose({ kind: 'text', text: completed, isWhole })
  }
  const options: Option[] = [
    ...remembered.map((search) => ({
      id: `recent:${search}`,
      icon: <History />,
      label: search,
      recent: search,
      choose: () => onChoose({ kind: 'recent', search }),
    })),
    ...(remembered.length > 0 && typed === ''
      ? [{ id: 'forget', icon: <Trash />, label: 'Clear recent searches', choose: () => forget() }]
      : []),
    ...suggestions.map((suggestion) => ({
      id: suggestion.text,
      ...describe(suggestion),
      count: suggestion.count ?? undefined,
      choose: () => complete(suggestion),
    })),
  ]
  const activeIndex = options.findIndex((option) => option.id === active)
  const activeOption = options[activeIndex]
  const idOf = (index: number) => `${id}-${index}`
  const activeId = activeIndex < 0 ? undefined : idOf(activeIndex)

  function forget(search?: string) {
    if (search === undefined) forgetAllSearches(userId)
    else forgetSearch(userId, search)
    setRecent(readRecentSearches(userId))
    setActive(undefined)
  }

  useImperativeHandle(keysRef, () => (event) => {
    if (event.nativeEvent.isComposing || options.length === 0) return false
    if (event.key === 'Enter' && activeOption) activeOption.choose()
    else if (event.key === 'Delete' && activeOption?.recent) forget(activeOption.recent)
    else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      // Before the first and after the last one the box itself is active.
      const places = options.length + 1
      const step = event.key === 'ArrowDown' ? 1 : -1
      setActive(options[((activeIndex + 1 + step + places) % places) - 1]?.id)
    } else return false
    return true
  })

  const isShown = options.length > 0
  useEffect(() => {
    onShow(isShown ? { activeId } : undefined)
    if (activeId) document.getElementById(activeId)?.scrollIntoView({ block: 'nearest' })
  }, [isShown, activeId, onShow])
  useEffect(() => () => onShow(undefined), [onShow])

  if (!isShown) return null
  return (
    <FloatingLayer
      anchorRef={anchorRef}
      onDismiss={onDismiss}
      className="p-1"
      style={{ width: anchorRef.current?.offsetWidth }}
    >
      <div
        id={id}
        role="listbox"
        aria-label="Suggestions"
        className="max-h-[60dvh] overflow-y-auto pointer-coarse:max-h-[40dvh]"
      >
        {options.map((option, index) => (
          <ListOption
            key={option.id}
            id={idOf(index)}
            isActive={index === activeIndex}
            onActivate={() => setActive(option.id)}
            onChoose={option.choose}
            icon={option.icon}
            label={option.label}
            keys={option.recent ? 'Delete' : undefined}
          >
            {option.detail && <span className="shrink-0 text-muted text-xs">{option.detail}</span>}
            {option.count !== undefined && (
              <span className="figures shrink-0 text-muted text-xs">{option.count.toLocaleString('en')}</span>
            )}
            {option.recent && (
              // Not a button, which an option must not contain; the Delete key does the same.
              <span
                aria-hidden="true"
                title="Remove"
                onClick={(event) => {
                  event.stopPropagation()
                  forget(option.recent)
                }}
                className="-my-1 -mr-1 grid size-7 shrink-0 place-items-center rounded-sm text-muted hover:bg-hover hover:text-ink pointer-coarse:size-11"
              >
                <X />
              </span>
            )}
          </ListOption>
        ))}
      </div>
    </FloatingLayer>
  )
}

const icons = {
  tag: <Tag />,
  collection: <Folder />,
  website: <Globe />,
  place: <MapPin />,
  camera: <Camera />,
  filter: <ListFilter />,
  value: <ListFilter />,
}

const details: Partial<Record<Suggestion['kind'], string>> = {
  tag: 'Tag',
  collection: 'Collection',
  website: 'Website',
  place: 'Place',
  camera: 'Camera',
}

function describe({ kind, text, label }: Suggestion): Pick<Option, 'icon' | 'label' | 'detail'> {
  if (kind === 'filter') {
    const name = label.replace(/^-|:$/g, '') as keyof typeof filterLabels
    return { icon: icons.filter, label, detail: filterLabels[name] }
  }
  const [filter] = takeFilters(text).filters
  if (kind === 'value' && filter?.name === 'color')
    return { icon: <ColorSwatch color={filter.value} />, label: valueLabel('color', filter.value), detail: 'Color' }
  if (kind === 'value' && filter) return { icon: icons.value, label: text, detail: filterLabels[filter.name] }
  return { icon: icons[kind], label: filter?.isExcluded ? `Not ${label}` : label, detail: details[kind] }
}
