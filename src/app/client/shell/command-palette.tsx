import { keepPreviousData, useQuery } from '@tanstack/react-query'
import ChevronRight from 'lucide-react/icons/chevron-right'
import ImageIcon from 'lucide-react/icons/image'
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react'
import { flushSync } from 'react-dom'
import type { User } from '#features/auth/contract.ts'
import { mediaQueries } from '#features/media/client/queries.ts'
import { setLibraryView } from '#features/media/client/use-library-view.ts'
import { maxSearchLength } from '#features/media/limits.ts'
import type { TypedAhead } from '#ui/commands/collect-typing.ts'
import { Palette, type PaletteOption } from '#ui/commands/palette.tsx'
import type { Offer } from '#ui/commands/use-command.ts'
import { keysOf } from '#ui/keys/key-names.ts'
import { useDebouncedValue } from '#ui/use-debounced-value.ts'
import { useAccountCommands } from './account-commands.tsx'
import { usePaletteCommands } from './palette-commands.tsx'
import { rankOptions } from './rank-options.ts'
import { readRecentChoices, rememberChoice } from './recent-choices.ts'

const restMs = 150

type Option = PaletteOption & { group: string; run: () => void }

type CommandPaletteProps = {
  user: User
  /** What the screen can do now. */
  offers: readonly Offer[]
  /** What the user typed while this was loading. */
  takeTyped: () => TypedAhead
  onClose: () => void
  onDialogChange: (dialog: ReactNode) => void
  onListKeys: () => void
}

/** Finds every command, place, collection, setting and item by name, and runs or opens it. */
export function CommandPalette({ user, offers, takeTyped, onClose, ...account }: CommandPaletteProps) {
  const [typed] = useState(takeTyped)
  const [query, setQuery] = useState(typed.text)
  const [recent] = useState(() => readRecentChoices(user.id))
  const [opener] = useState(() => document.activeElement)
  const commands = usePaletteCommands(account.onDialogChange)
  const { admin, own } = useAccountCommands({ user, ...account })
  const named = query.trim().slice(0, maxSearchLength)
  const settled = useDebouncedValue(named, restMs)
  const { data = [], isFetching } = useQuery({
    ...mediaQueries.named(settled),
    enabled: settled !== '',
    placeholderData: keepPreviousData,
  })
  const options = [
    ...offers.map((offer) => optionOf(offer, offer.group ?? 'On this screen')),
    ...commands.places.map((place) => optionOf(place, 'Go to')),
    ...admin.map((place) => optionOf(place, 'Go to')),
    ...commands.actions.map((action) => optionOf(action, 'Actions')),
    ...commands.collections.map(({ collectionId, count, ...place }) => ({
      ...optionOf(place, 'Collections'),
      id: `collection:${collectionId}`,
      detail: count.toLocaleString('en'),
    })),
    ...own.map((action) => optionOf(action, 'Settings')),
    ...commands.settings.map((setting) => optionOf(setting, 'Settings')),
    ...recent.flatMap(({ id, label }) => (isItem(id) ? [itemOption(Number(id.slice(itemPrefix.length)), label)] : [])),
  ]
  const found = named === '' ? [] : data.map(({ id, filename }) => itemOption(id, filename))
  const groups = rankOptions({ query, options, found }, recent)

  /** Closes the palette first, so that a dialog or a search that the command opens keeps the focus. */
  function choose(id: string) {
    const option = groups.flatMap((group) => group.options).find((each) => each.id === id)
    if (!option) return
    rememberChoice(user.id, option)
    flushSync(onClose)
    if (opener instanceof HTMLElement && opener.isConnected) opener.focus({ preventScroll: true })
    option.run()
  }

  const chooseFirst = useEffectEvent(() => {
    const [first] = groups.flatMap((group) => group.options)
    if (first) choose(first.id)
  })
  useEffect(() => {
    if (!typed.isEntered) return
    // A timer, because the palette cannot close while React renders it.
    const timer = setTimeout(() => chooseFirst())
    return () => clearTimeout(timer)
  }, [typed])

  return (
    <Palette
      label="Command palette"
      placeholder="Find an action, place, setting or item..."
      query={query}
      onQueryChange={setQuery}
      groups={groups}
      onChoose={choose}
      onClose={onClose}
      isPending={named !== '' && (isFetching || settled !== named)}
      emptyText={`Nothing found for "${named}".`}
    />
  )
}

const itemPrefix = 'item:'
const isItem = (id: string) => id.startsWith(itemPrefix)

const optionOf = ({ name, icon = <ChevronRight />, hotkey, run }: Offer, group: string): Option => ({
  id: `command:${name}`,
  label: name,
  icon,
  keys: keysOf(hotkey),
  group,
  run,
})

const itemOption = (itemId: number, filename: string): Option => ({
  id: itemPrefix + itemId,
  label: filename,
  icon: <ImageIcon />,
  group: 'Items',
  run: () => setLibraryView({ itemId, tab: 'media' }),
})
