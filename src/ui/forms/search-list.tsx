import Check from 'lucide-react/icons/check'
import Search from 'lucide-react/icons/search'
import { type KeyboardEvent, type ReactNode, useEffect, useId, useState } from 'react'
import { classNames } from '../class-names.ts'
import { Field } from './field.tsx'
import { Input } from './input.tsx'

// An image, because the sticky option needs an opaque color below the tint.
const tinted = 'bg-[linear-gradient(var(--hover),var(--hover))]'
const hoverTinted = 'hover:bg-[linear-gradient(var(--hover),var(--hover))]'

type SearchListOption = { value: string; label: string; detail?: string; picture: ReactNode }

type SearchListProps = {
  label: string
  placeholder: string
  query: string
  onQueryChange: (query: string) => void
  /** The options that match the query. */
  options: readonly SearchListOption[]
  /** Always visible below the others, e.g. to add an option. */
  lastOption: SearchListOption
  value?: string
  /** An arrow key. */
  onValueChange: (value: string) => void
  /** A click, or Enter on the chosen option. */
  onChoose: (value: string) => void
  isDisabled?: boolean
}

/**
 * A search field with its list below, of which one option is chosen. The focus stays in the field: arrow keys choose, and
 * Enter submits the form. On touch screens the list has the focus first, because a keyboard on the screen would cover it.
 */
export function SearchList(props: SearchListProps) {
  const { label, placeholder, query, onQueryChange, options, lastOption, value, onValueChange, onChoose } = props
  const id = useId()
  // The dialog focuses the first element that Tab reaches.
  const [isListFirst, setIsListFirst] = useState(() => matchMedia('(pointer: coarse)').matches)
  const all = [...options, lastOption]
  const chosenIndex = all.findIndex((option) => option.value === value)
  const idOf = (index: number) => `${id}-${index}`

  useEffect(() => {
    if (chosenIndex >= 0) document.getElementById(`${id}-${chosenIndex}`)?.scrollIntoView({ block: 'nearest' })
  }, [id, chosenIndex])

  function handleKey(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter' && value !== undefined) onChoose(value)
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined || props.isDisabled) return
    event.preventDefault()
    const from = chosenIndex < 0 && step < 0 ? 0 : chosenIndex
    onValueChange(all[(from + step + all.length) % all.length]!.value)
  }

  return (
    <div>
      <Field label={label}>
        <Input
          type="search"
          tabIndex={isListFirst ? -1 : undefined}
          role="combobox"
          aria-autocomplete="list"
          aria-expanded={true}
          aria-controls={`${id}-list`}
          aria-activedescendant={chosenIndex < 0 ? undefined : idOf(chosenIndex)}
          autoComplete="off"
          leading={<Search aria-hidden="true" />}
          placeholder={placeholder}
          value={query}
          disabled={props.isDisabled}
          onChange={({ target }) => onQueryChange(target.value)}
          onKeyDown={handleKey}
        />
      </Field>
      <div
        id={`${id}-list`}
        role="listbox"
        aria-label={label}
        tabIndex={isListFirst ? 0 : -1}
        aria-activedescendant={chosenIndex < 0 ? undefined : idOf(chosenIndex)}
        onFocus={() => setIsListFirst(false)}
        onKeyDown={handleKey}
        className="mt-2 max-h-[min(24rem,46dvh)] scroll-pb-13 overflow-y-auto overscroll-contain rounded-sm border border-line outline-none"
      >
        {all.map((option, index) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field, which names the active option
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
          <div
            key={option.value}
            id={idOf(index)}
            role="option"
            aria-selected={index === chosenIndex}
            aria-disabled={props.isDisabled || undefined}
            // Keeps the focus in the field.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => {
              if (props.isDisabled) return
              onChoose(option.value)
            }}
            className={classNames(
              'flex h-13 cursor-default items-center gap-3 px-2.5',
              option === lastOption
                ? 'sticky bottom-0 border-line bg-overlay not-first:border-t'
                : '[contain-intrinsic-height:3.25rem] [content-visibility:auto]',
              index === chosenIndex ? tinted : hoverTinted,
            )}
          >
            <span aria-hidden="true" className="w-9 shrink-0 rounded-sm">
              {option.picture}
            </span>
            <span className="min-w-0 grow">
              <span dir="auto" className="block truncate">
                {option.label}
              </span>
              {option.detail && <span className="figures block text-muted text-xs">{option.detail}</span>}
            </span>
            {index === chosenIndex && <Check aria-hidden="true" className="shrink-0 text-accent" />}
          </div>
        ))}
      </div>
    </div>
  )
}
