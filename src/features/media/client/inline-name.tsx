import { type KeyboardEvent, useState } from 'react'
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

/** Clicking the name renames it in place: Enter or leaving the field saves, Escape gives up. An empty name saves nothing. */
export function InlineName({ media, isEditable, isEditing, onEditingChange, className }: InlineNameProps) {
  if (isEditing) return <NameField media={media} onDone={() => onEditingChange(false)} className={className} />
  if (!isEditable) {
    return (
      <span title={media.filename} className={classNames('block truncate', className)}>
        {media.filename}
      </span>
    )
  }
  return (
    <button
      type="button"
      title={media.filename}
      aria-label={`Rename ${media.filename}`}
      onClick={() => onEditingChange(true)}
      className={classNames(
        '-mx-1 block max-w-full cursor-text truncate rounded-sm px-1 text-left hover:bg-hover',
        className,
      )}
    >
      {media.filename}
    </button>
  )
}

function NameField({ media, onDone, className }: { media: Media; onDone: () => void; className?: string }) {
  const rename = useRenameMedia()
  const [name, setName] = useState(media.filename)

  function save() {
    const filename = name.trim()
    onDone()
    if (filename && filename !== media.filename) rename.mutate({ id: media.id, filename })
  }

  function handleKey(event: KeyboardEvent) {
    event.stopPropagation()
    if (event.key === 'Enter' && !event.nativeEvent.isComposing) save()
    if (event.key === 'Escape') onDone()
  }

  return (
    <input
      // biome-ignore lint/a11y/noAutofocus: the person has just asked to edit this very field
      autoFocus
      aria-label="File name"
      value={name}
      maxLength={255}
      onChange={(event) => setName(event.target.value)}
      onFocus={(event) => event.target.setSelectionRange(0, stemLength(media.filename))}
      onBlur={save}
      onKeyDown={handleKey}
      className={classNames(
        '-mx-1 block w-[calc(100%+0.5rem)] rounded-sm bg-surface px-1 outline-2 outline-focus -outline-offset-2',
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
