import Ban from 'lucide-react/icons/ban'
import Ellipsis from 'lucide-react/icons/ellipsis'
import Merge from 'lucide-react/icons/merge'
import Pencil from 'lucide-react/icons/pencil'
import Sparkles from 'lucide-react/icons/sparkles'
import TagX from 'lucide-react/icons/tag-x'
import { type KeyboardEvent, useState } from 'react'
import { ListLink } from '#features/media/client/list-link.tsx'
import { openList } from '#features/media/library-view.ts'
import { maxTagLength } from '#features/media/limits.ts'
import { tagSearch } from '#features/media/search-query.ts'
import { Badge } from '#ui/badge.tsx'
import { IconButton } from '#ui/icon-button.tsx'
import { DropdownMenu } from '#ui/menus/dropdown-menu.tsx'
import { MenuItem, MenuSeparator } from '#ui/menus/menu-item.tsx'
import type { LibraryTag } from '../contract.ts'
import { ColorButton } from './color-button.tsx'
import { takenName, type UndoChange, useRenameTag, useSetTag } from './mutations.ts'

type TagRowProps = {
  tag: LibraryTag
  undo: UndoChange
  /** With the name that turned out to be another tag's, if there is one. */
  onMerge: (into?: string) => void
  onDelete: () => void
}

export function TagRow({ tag: described, undo, onMerge, onDelete }: TagRowProps) {
  const { tag, count, color, isNever } = described
  const [isEditing, setIsEditing] = useState(false)
  const rename = useRenameTag(undo)
  const setTag = useSetTag()
  const shown = rename.isPending ? rename.variables.name : tag

  function end(name: string) {
    setIsEditing(false)
    if (!name || name === tag) return
    rename.mutate({ tag, name }, { onError: (error) => offerMerging(takenName(error)) })
  }
  function offerMerging(into: string | undefined) {
    if (into) onMerge(into)
    else setIsEditing(true)
  }

  return (
    <li className="flex min-h-12 items-center gap-2 py-1 [contain-intrinsic-height:3rem] [content-visibility:auto]">
      <ColorButton tag={tag} color={color} onChange={(chosen) => setTag.mutate({ tag, color: chosen })} />
      <div className="min-w-0 grow">
        {isEditing ? (
          <NameField tag={tag} onEnd={end} />
        ) : count > 0 ? (
          <ListLink
            to={{ ...openList({ filter: 'all' }), search: tagSearch(tag) }}
            className="block truncate rounded-sm hover:underline"
          >
            <bdi>{shown}</bdi>
          </ListLink>
        ) : (
          <bdi className="block truncate text-muted">{shown}</bdi>
        )}
      </div>
      {isNever && <Badge icon={<Ban aria-hidden="true" />}>Never suggested</Badge>}
      <span className="figures w-14 shrink-0 text-right text-muted text-sm">{count.toLocaleString('en')}</span>
      <DropdownMenu
        trigger={<IconButton label={`Actions for ${tag}`} icon={<Ellipsis />} size="sm" hasTooltip={false} />}
      >
        {count > 0 && (
          <>
            <MenuItem icon={<Pencil />} onSelect={() => setIsEditing(true)}>
              Rename
            </MenuItem>
            <MenuItem icon={<Merge />} onSelect={() => onMerge()}>
              Merge…
            </MenuItem>
          </>
        )}
        {isNever ? (
          <MenuItem icon={<Sparkles />} onSelect={() => setTag.mutate({ tag, isNever: false })}>
            Allow suggestions
          </MenuItem>
        ) : (
          <MenuItem icon={<Ban />} onSelect={() => setTag.mutate({ tag, isNever: true })}>
            Never suggest again
          </MenuItem>
        )}
        {count > 0 && (
          <>
            <MenuSeparator />
            <MenuItem icon={<TagX />} tone="danger" onSelect={onDelete}>
              Delete…
            </MenuItem>
          </>
        )}
      </DropdownMenu>
    </li>
  )
}

/** Enter or blur saves, Escape cancels. */
function NameField({ tag, onEnd }: { tag: string; onEnd: (name: string) => void }) {
  const [name, setName] = useState(tag)
  function handleKey(event: KeyboardEvent) {
    event.stopPropagation()
    const isSaved = event.key === 'Enter' && !event.nativeEvent.isComposing
    if (!isSaved && event.key !== 'Escape') return
    event.preventDefault()
    onEnd(isSaved ? cleaned(name) : '')
  }
  return (
    <input
      // biome-ignore lint/a11y/noAutofocus: the user has just asked to edit this field
      autoFocus
      aria-label={`New name of ${tag}`}
      dir="auto"
      value={name}
      maxLength={maxTagLength}
      onChange={({ target }) => setName(target.value)}
      onFocus={({ target }) => target.select()}
      onBlur={() => onEnd(cleaned(name))}
      onKeyDown={handleKey}
      className="-mx-1 block w-[calc(100%+0.5rem)] rounded-sm bg-surface px-1 outline-2 outline-focus -outline-offset-2 pointer-coarse:text-lg"
    />
  )
}

const cleaned = (name: string) => name.trim().toLowerCase()
