import { type ComponentProps, type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { FloatingLayer } from '../layers/floating-layer.tsx'
import { Input } from './input.tsx'
import { ListOption } from './list-option.tsx'

type SuggestOption = { value: string; icon?: ReactNode; detail?: string }

type SuggestInputProps = Omit<ComponentProps<'input'>, 'value' | 'onChange' | 'list'> & {
  value: string
  onValueChange: (value: string) => void
  /** What fits the typed text; shown while the user types, and with an arrow key. */
  options: readonly SuggestOption[]
  optionsLabel: string
  /** A click, or Enter on the option that an arrow key has chosen. */
  onChoose: (value: string) => void
}

/** A text field that offers completions and accepts any other text. The focus stays in the field. */
export function SuggestInput(props: SuggestInputProps) {
  const { value, onValueChange, options, optionsLabel, onChoose, onKeyDown, onBlur, ...rest } = props
  const id = useId()
  const anchorRef = useRef<HTMLDivElement>(null)
  const [isWanted, setIsWanted] = useState(false)
  const [active, setActive] = useState<string>()
  const isOpen = isWanted && options.length > 0
  const activeIndex = isOpen ? options.findIndex((option) => option.value === active) : -1
  const idOf = (index: number) => `${id}-${index}`

  useEffect(() => {
    if (activeIndex >= 0) document.getElementById(`${id}-${activeIndex}`)?.scrollIntoView({ block: 'nearest' })
  }, [id, activeIndex])

  function close() {
    setIsWanted(false)
    setActive(undefined)
  }
  function choose(chosen: string) {
    close()
    onChoose(chosen)
  }
  function handleKey(event: KeyboardEvent<HTMLInputElement>) {
    if (event.nativeEvent.isComposing) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && options.length > 0) {
      event.preventDefault()
      setIsWanted(true)
      // Before the first and after the last option the field itself is active.
      const places = options.length + 1
      return setActive(options[((activeIndex + 1 + step + places) % places) - 1]?.value)
    }
    if (event.key === 'Enter' && activeIndex >= 0) {
      event.preventDefault()
      return choose(options[activeIndex]!.value)
    }
    onKeyDown?.(event)
  }

  return (
    <div ref={anchorRef}>
      <Input
        {...rest}
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls={isOpen ? `${id}-list` : undefined}
        aria-activedescendant={activeIndex < 0 ? undefined : idOf(activeIndex)}
        autoComplete="off"
        value={value}
        onChange={({ target }) => {
          setIsWanted(true)
          setActive(undefined)
          onValueChange(target.value)
        }}
        onKeyDown={handleKey}
        onBlur={(event) => {
          close()
          onBlur?.(event)
        }}
      />
      {isOpen && (
        <FloatingLayer
          anchorRef={anchorRef}
          onDismiss={close}
          className="p-1"
          style={{ width: anchorRef.current?.offsetWidth }}
        >
          <div
            id={`${id}-list`}
            role="listbox"
            aria-label={optionsLabel}
            className="max-h-60 overflow-y-auto pointer-coarse:max-h-[30dvh]"
          >
            {options.map((option, index) => (
              <ListOption
                key={option.value}
                id={idOf(index)}
                isActive={index === activeIndex}
                onActivate={() => setActive(option.value)}
                onChoose={() => choose(option.value)}
                icon={option.icon}
                label={option.value}
                isCompact
              >
                {option.detail && <span className="figures shrink-0 text-muted text-xs">{option.detail}</span>}
              </ListOption>
            ))}
          </div>
        </FloatingLayer>
      )}
    </div>
  )
}
