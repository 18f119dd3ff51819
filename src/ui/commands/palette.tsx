import Search from 'lucide-react/icons/search'
import { type KeyboardEvent, type ReactNode, useEffect, useId, useState } from 'react'
import { classNames } from '../class-names.ts'
import { Input } from '../forms/input.tsx'
import { ListOption } from '../forms/list-option.tsx'
import { Kbd } from '../keys/kbd.tsx'
import { Modal } from '../layers/modal.tsx'
import { Spinner } from '../spinner.tsx'

export type PaletteOption = {
  id: string
  label: string
  detail?: string
  icon: ReactNode
  /** The option's own keys, as `Kbd` shows them. */
  keys?: string
}

type PaletteGroup = { label: string; options: readonly PaletteOption[] }

type PaletteProps = {
  label: string
  placeholder: string
  query: string
  onQueryChange: (query: string) => void
  groups: readonly PaletteGroup[]
  onChoose: (id: string) => void
  onClose: () => void
  /** More options are on their way. */
  isPending: boolean
  /** Shown when no option fits. */
  emptyText: string
}

/** A dialog with a search field and the options below it. The focus stays in the field: arrow keys and Enter choose. */
export function Palette(props: PaletteProps) {
  const { label, placeholder, query, onQueryChange, groups, onChoose, onClose, isPending, emptyText } = props
  const id = useId()
  const options = groups.flatMap((group) => group.options)
  // The option itself is remembered and not its place, because options that arrive later stand above it.
  const [activeId, setActiveId] = useState<string>()
  const active = Math.max(
    options.findIndex((option) => option.id === activeId),
    0,
  )
  const idOf = (optionId: string) => `${id}-${optionId}`
  const activeOption = options[active]

  useEffect(() => {
    if (activeOption) document.getElementById(`${id}-${activeOption.id}`)?.scrollIntoView({ block: 'nearest' })
  }, [id, activeOption])

  function handleKey(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter') {
      event.preventDefault()
      if (activeOption) onChoose(activeOption.id)
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    setActiveId(options[(active + step + options.length) % options.length]?.id)
  }

  return (
    <Modal
      label={label}
      onClose={onClose}
      className={classNames(
        'top-2 left-1/2 flex w-[calc(100vw-1rem)] max-w-[40rem] -translate-x-1/2 flex-col overflow-hidden sm:top-[12dvh]',
        'rounded-lg bg-overlay shadow-dialog data-[state=open]:animate-fade-in',
      )}
    >
      <Input
        type="text"
        role="combobox"
        aria-label={label}
        aria-autocomplete="list"
        aria-expanded={options.length > 0}
        aria-controls={options.length > 0 ? `${id}-list` : undefined}
        aria-activedescendant={activeOption && idOf(activeOption.id)}
        autoComplete="off"
        spellCheck={false}
        enterKeyHint="go"
        leading={<Search aria-hidden="true" />}
        trailing={isPending && <Spinner />}
        placeholder={placeholder}
        value={query}
        onChange={({ target }) => {
          setActiveId(undefined)
          onQueryChange(target.value)
        }}
        onKeyDown={handleKey}
        className="[&>input]:h-12! [&>input]:rounded-b-none! [&>input]:border-x-0! [&>input]:border-t-0! [&>input]:-outline-offset-2"
      />
      <p aria-live="polite" className={classNames(options.length > 0 || isPending ? 'sr-only' : 'p-4 text-muted')}>
        {options.length > 0 || isPending ? '' : emptyText}
      </p>
      {options.length > 0 && (
        <div
          id={`${id}-list`}
          role="listbox"
          aria-label={label}
          tabIndex={-1}
          // Half of a phone's screen belongs to its keyboard.
          className="max-h-[min(26rem,60dvh)] overflow-y-auto overscroll-contain p-1.5 outline-none pointer-coarse:max-h-[min(26rem,44dvh)]"
        >
          {groups.map((group) => (
            // biome-ignore lint/a11y/useSemanticElements: a listbox contains groups of options, not fieldsets
            <div key={group.label} role="group" aria-label={group.label}>
              <p aria-hidden="true" className="px-2 pt-2 pb-1 text-muted text-xs">
                {group.label}
              </p>
              {group.options.map((option) => (
                <ListOption
                  key={option.id}
                  id={idOf(option.id)}
                  isActive={option === activeOption}
                  onActivate={() => setActiveId(option.id)}
                  onChoose={() => onChoose(option.id)}
                  icon={option.icon}
                  label={option.label}
                >
                  {option.detail && <span className="figures shrink-0 text-muted text-xs">{option.detail}</span>}
                  {option.keys && <Kbd keys={option.keys} className="shrink-0" />}
                </ListOption>
              ))}
            </div>
          ))}
        </div>
      )}
    </Modal>
  )
}
