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
 * Clicking the name renames the item in place: Enter or blur saves, Escape cancels. An empty name is not saved, and a
 * rejected one stays in the field.
 */
export function InlineName({ media, isEditable, isEditing, onEditingChange, className }: InlineNameProps) {
  const rename = useRenameMedia()
  const [refused, setRefused] = useState<{ name: string; hadFocus: boolean }>()
  const button = useRef<HTMLButtonElement>(null)
  /** After a rename by keyboard the focus returns to the name. */
  const takesFocus = useRef(false)
  // Shows the new name until the list contains it.
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
      // The same text as the label, as a screen reader would read a different title in addition.
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
    // Otherwise Enter would also click the button that replaces the field.
    event.preventDefault()
    onEnd(isSaved ? name.trim() : '', true)
  }

  return (
    <input
      // biome-ignore lint/a11y/noAutofocus: the user has just asked to edit this field or is still editing it
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
        '-mx-1 block w-[calc(100%+0.5rem)] rounded-sm bg-surface px-1',
        'outline-2 outline-focus -outline-offset-2 pointer-coarse:text-lg',
        className,
      )}
    />
  )
}

/** The initial selection excludes the extension, as in file managers. */
function stemLength(filename: string) {
  const dot = filename.lastIndexOf('.')
  return dot > 0 ? dot : filename.length
}
