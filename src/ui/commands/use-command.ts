import { type ReactNode, useEffect, useEffectEvent } from 'react'
import { type HotkeyOptions, useHotkey } from '../keys/use-hotkey.ts'

/** What a user can do, with its name and key as every tooltip, menu, list of shortcuts and palette shows them. */
export type Command = { name: string; hotkey?: string }

/** A command that can be run now. */
export type Offer = Command & {
  run: () => void
  icon?: ReactNode
  /** A heading for several commands that belong together. */
  group?: string
  /** Also while a dialog is open, for the dialog's own commands. */
  worksInModal?: boolean
}

const sources = new Set<() => readonly Offer[]>()

/** What can be run at this moment. Call it in an event, not while rendering. */
export function offeredCommands(isInModal: boolean): Offer[] {
  const offers = [...sources].flatMap((read) => read()).filter(({ worksInModal = false }) => worksInModal === isInModal)
  return [...new Map(offers.map((offer) => [offer.name, offer])).values()]
}

/** Offers these commands while the component is mounted. */
export function useOffers(offers: readonly Offer[]) {
  const read = useEffectEvent(() => offers)
  useEffect(() => {
    const source = () => read()
    sources.add(source)
    return () => void sources.delete(source)
  }, [])
}

/** Runs the command on its key, and offers it. */
export function useCommand(
  command: Required<Command>,
  run: () => void,
  { isEnabled = true, ...options }: HotkeyOptions = {},
) {
  useHotkey(command.hotkey, run, { ...options, isEnabled })
  useOffers(isEnabled ? [{ ...command, run, worksInModal: options.worksInModal }] : [])
}
