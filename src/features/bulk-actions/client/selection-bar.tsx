import { useMutation } from '@tanstack/react-query'
import FolderInput from 'lucide-react/icons/folder-input'
import RotateCcw from 'lucide-react/icons/rotate-ccw'
import TagX from 'lucide-react/icons/tag-x'
import Tags from 'lucide-react/icons/tags'
import Trash2 from 'lucide-react/icons/trash-2'
import X from 'lucide-react/icons/x'
import { type RefObject, useRef } from 'react'
import { libraryCommands } from '#features/media/client/library-commands.ts'
import { useMoveToTrash, useRestoreFromTrash } from '#features/media/client/mutations.ts'
import type { Selection } from '#features/media/client/selection.ts'
import type { Media } from '#features/media/contract.ts'
import type { LibraryView } from '#features/media/library-view.ts'
import { maxItemsAtOnce } from '#features/media/limits.ts'
import { call, connectionProblem, messageOf } from '#platform/client/call.ts'
import { Button } from '#ui/button.tsx'
import { classNames } from '#ui/class-names.ts'
import { type Offer, useOffers } from '#ui/commands/use-command.ts'
import { IconButton } from '#ui/icon-button.tsx'
import { keysOf } from '#ui/keys/key-names.ts'
import { useHotkey } from '#ui/keys/use-hotkey.ts'
import { Tooltip } from '#ui/layers/tooltip.tsx'
import { toastError } from '#ui/notices/toast.ts'
import type { bulkApi } from '../contract.ts'
import { BarLabel, barAction } from './bar-label.tsx'
import type { BulkDialogName } from './bulk-dialogs.tsx'
import { filterOf } from './filter-of.ts'
import { MoreActions, selectedItems } from './more-actions.tsx'
import { useDeselectRemoved } from './use-deselect-removed.ts'

type SelectionBarProps = {
  selection: Selection
  view: LibraryView
  /** Whether the items are those that match the search of a collection. */
  isSmart: boolean
  page: readonly Media[]
  totalCount: number
  onOpenDialog: (dialog: BulkDialogName) => void
}

/** Slides in at the bottom in select mode: the count, frequent actions as buttons, and the others in the "More" menu. */
export function SelectionBar({ selection, view, isSmart, page, totalCount, onOpenDialog }: SelectionBarProps) {
  useDeselectRemoved({ selection, view, page, totalCount })
  const ids = [...selection.ids]
  const isTooMany = ids.length > maxItemsAtOnce
  const isOff = ids.length === 0 || isTooMany
  // Items in the trash can only be restored or deleted.
  const isTrash = view.filter === 'trash'
  const moveToTrash = useMoveToTrash()
  const restore = useRestoreFromTrash()
  const barRef = useRef<HTMLElement>(null)
  useBarFocus(barRef)
  const actions: BarAction[] = isTrash
    ? [
        {
          name: 'Restore',
          short: 'Restore',
          icon: <RotateCcw />,
          isPending: restore.isPending,
          run: () => restore.mutate(ids, { onSuccess: () => selection.deselect(ids) }),
        },
      ]
    : [
        { ...libraryCommands.collect, short: 'Collection', icon: <FolderInput />, run: () => onOpenDialog('move') },
        { ...libraryCommands.addTags, short: 'Tags', icon: <Tags />, run: () => onOpenDialog('tags') },
        { name: 'Remove Tags', short: 'Untag', icon: <TagX />, isRare: true, run: () => onOpenDialog('remove-tags') },
        {
          ...libraryCommands.trash,
          short: 'Trash',
          icon: <Trash2 />,
          isPending: moveToTrash.isPending,
          run: () => moveToTrash.mutate(ids, { onSuccess: () => selection.deselect(ids) }),
        },
      ]
  useOffers(isOff ? [] : actions.map((action) => ({ ...action, group: selectedItems })))
  const hasKeys = { isEnabled: !isOff && !isTrash }
  useHotkey(libraryCommands.collect.hotkey, () => onOpenDialog('move'), hasKeys)
  useHotkey(libraryCommands.addTags.hotkey, () => onOpenDialog('tags'), hasKeys)

  return (
    <section
      ref={barRef}
      aria-label="Selected items"
      data-bar-below
      className={classNames(
        'fixed inset-x-0 bottom-0 z-30 flex justify-center p-3 pb-[max(0.75rem,env(safe-area-inset-bottom))]',
        'motion-safe:animate-rise-in md:bottom-2 md:left-14 [@media(width>64rem)]:left-62',
      )}
    >
      <div className="flex max-w-full flex-wrap items-center justify-center gap-1 rounded-lg bg-overlay p-1.5 shadow-float max-sm:w-full">
        <IconButton
          label="Exit select mode"
          icon={<X />}
          shortcut={keysOf(libraryCommands.deselect.hotkey)}
          onClick={selection.stop}
        />
        <span aria-live="polite" aria-atomic="true" className="figures px-1.5 font-medium max-sm:grow">
          {ids.length.toLocaleString('en')} selected
          {isTooMany && `, up to ${maxItemsAtOnce.toLocaleString('en')} at a time`}
        </span>
        <SelectAll selection={selection} view={view} page={page} totalCount={totalCount} />
        {/* On a phone the bar has two lines, the selection and its actions, with widely spaced buttons for a thumb. */}
        <div className="flex items-center gap-1 max-sm:w-full max-sm:[&>*]:grow max-sm:[&>*]:px-0">
          {actions.map((action) => (
            <Tooltip key={action.name} content={action.name} shortcut={keysOf(action.hotkey)} side="top" isName>
              <Button
                aria-label={action.name}
                data-action
                icon={action.icon}
                variant="quiet"
                disabled={isOff}
                isPending={action.isPending}
                onClick={action.run}
                className={barAction}
              >
                <span className={action.isRare ? '[@media(width>=48rem)_and_(width<80rem)]:hidden' : undefined}>
                  <BarLabel short={action.short}>{action.name}</BarLabel>
                </span>
              </Button>
            </Tooltip>
          ))}
          <MoreActions {...{ ids, isOff, selection, view, isSmart, onOpenDialog }} />
        </div>
      </div>
    </section>
  )
}

/** `isRare`: only its icon is shown where all words have no room in one line. */
type BarAction = Offer & { short: string; isPending?: boolean; isRare?: boolean }

/** F6 moves the focus to the first action, and from the bar back to the item. */
function useBarFocus(barRef: RefObject<HTMLElement | null>) {
  const cameFrom = useRef<HTMLElement>(null)
  useHotkey(libraryCommands.bar.hotkey, () => {
    const focused = document.activeElement as HTMLElement | null
    if (barRef.current?.contains(focused)) return (cameFrom.current ?? firstItem())?.focus()
    cameFrom.current = focused?.closest('[data-media-id]') ? focused : null
    const bar = barRef.current
    const action = bar?.querySelector<HTMLElement>('[data-action]:enabled') ?? bar?.querySelector<HTMLElement>('button')
    action?.focus()
  })
}

const firstItem = () => document.querySelector<HTMLElement>('[data-media-id] button')

type SelectAllProps = { selection: Selection; view: LibraryView; page: readonly Media[]; totalCount: number }

/** Selects the page first, then all N matching items beyond it, or as many as can be changed at once. */
function SelectAll({ selection, view, page, totalCount }: SelectAllProps) {
  const selectMatching = useMutation({
    mutationFn: () => call<typeof bulkApi.selectMatching>('POST /api/media/matching-ids', { body: filterOf(view) }),
    onError: (error) =>
      toastError('Selection failed', messageOf(error, "Couldn't select all items."), connectionProblem(error)),
  })
  // `mutate` callbacks run only while this is mounted, so a late response does not change the selection on another page.
  const selectAll = () => selectMatching.mutate(undefined, { onSuccess: ({ ids }) => selection.replace(ids) })
  const isPageSelected = page.every(({ id }) => selection.ids.has(id))
  if (isPageSelected && selection.ids.size < Math.min(totalCount, maxItemsAtOnce)) {
    return (
      <Button variant="quiet" isPending={selectMatching.isPending} onClick={selectAll}>
        {totalCount > maxItemsAtOnce
          ? `Select the newest ${maxItemsAtOnce.toLocaleString('en')}`
          : `Select all ${totalCount.toLocaleString('en')} that match`}
      </Button>
    )
  }
  return (
    <Button variant="quiet" disabled={isPageSelected} onClick={() => selection.add(page.map(({ id }) => id))}>
      Select All
    </Button>
  )
}
