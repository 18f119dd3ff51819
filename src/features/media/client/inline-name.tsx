import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { maxFilenameLength } from '#shared/filenames.ts'
import { classNames } from '#ui/class-names.ts'
import type { Media } from '../contract.ts'
import { useRenameMedia } from './mutations.ts'

type InlineNameProps = {
  media: Media
  isEditable: boolean
  isEditing: boolean
  onEditingChange: (isEditing: boolean) => void
  className?: string
}

/**
 * Clicking the name renames it in place: Enter or leaving the field saves, Escape gives up. An empty name saves nothing,
 * a refused one stays in the field.
 */
export function InlineName({ media, isEditable, isEditing, onEditingChange, className }: InlineNameProps) {
  const rename = useRenameMedia()
  const [refused, setRefused] = useState<{ name: string; hadFocus: boolean }>()
  const button = useRef<HTMLButtonElement>(null)
  /** Whoever ended it by keyboard goes on from the name. */
  const takesFocus = useRef(false)
  // The new name until the list has it.
  const filename = rename.isPending ? rename.variables.filename : media.filename

  useEffect(() => {
    if (!isEditing && takesFocus.current) button.current?.focus()
    takesFocus.current = false
  }, [isEditing])

  function end(wanted: string, isByKey: boolean) {
    takesFocus.current = isByKey
    setRefused(undefined)
    onEditingChange(false)
    if (!wanted || wanted === filename) return
    const refuse = () => {
      setRefused({ name: wanted, hadFocus: document.activeElement === button.current })
      onEditingChange(true)
    }
    rename.mutate({ id: media.id, filename: wanted }, { onError: refuse })
  }

  if (isEditing) {
    const name = refused?.name ?? filename
    return <NameField name={name} takesFocus={refused?.hadFocus ?? true} onEnd={end} className={className} />
  }
  if (!isEditable) {
    return (
      <span title={filename} className={classNames('block truncate', className)}>
        {filename}
      </span>
    )
  }
  return (
    <button
      tabIndex={0}
      ref={button}
      type="button"
      // The same words twice: others would be said after the name.
      title={`Rename ${filename}`}
      aria-label={`Rename ${filename}`}
      onClick={() => onEditingChange(true)}
      className={classNames(
        '-mx-1 block max-w-full cursor-text truncate rounded-sm px-1 text-left outline-offset-0 hover:bg-hover',
        className,
      )}
    >
      {filename}
    </button>
  )
}

type NameFieldProps = {
  name: string
  takesFocus: boolean
  onEnd: (wanted: string, isByKey: boolean) => void
  className?: string
}

function NameField({ name: given, takesFocus, onEnd, className }: NameFieldProps) {
  const [name, setName] = useState(given)

  function handleKey(event: KeyboardEvent) {
    event.stopPropagation()
    const isSaved = event.key === 'Enter' && !event.nativeEvent.isComposing
    if (!isSaved && event.key !== 'Escape') return
    // Otherwise Enter would press the button that comes in the field's place.
    event.preventDefault()
    onEnd(isSaved ? name.trim() : '', true)
  }

  return (
    <input
      // biome-ignore lint/a11y/noAutofocus: the person has just asked to edit this very field, or is still there
      autoFocus={takesFocus}
      aria-label="File name"
      dir="auto"
      value={name}
      maxLength={maxFilenameLength}
      onChange={(event) => setName(event.target.value)}
      onFocus={(event) => event.target.setSelectionRange(0, stemLength(name))}
      onBlur={() => onEnd(name.trim(), false)}
      onKeyDown={handleKey}
      className={classNames(
        '-mx-1 block w-[calc(100%+0.5rem)] rounded-sm bg-surface px-1 outline-2 outline-focus -outline-offset-2 pointer-coarse:text-lg',
        className,
      )}
    />
  )
}

/** The extension is left out of the first selection, as file managers do. */
function stemLength(filename: string) {
  const dot = filename.lastIndexOf('.')
  return dot > 0 ? dot : filename.length
}
