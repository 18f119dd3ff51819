import { useEffectEvent, useLayoutEffect, useRef } from 'react'
import { isModalOpen } from '../layers/open-modals.ts'
import { areSingleKeysEnabled, matchesHotkey } from './hotkey.ts'

export type HotkeyOptions = {
  isEnabled?: boolean
  /** Also while a dialog is open, for the dialog's own keys. */
  worksInModal?: boolean
  /** Also while the user types, for keys that write nothing. */
  worksWhileTyping?: boolean
  /** Minimum interval at which a held key repeats; without it, a held key counts once. */
  repeatMs?: number
}

/** Calls back on a key anywhere in the page, by default not while the user types. */
export function useHotkey(hotkey: string, onPress: (event: KeyboardEvent) => void, options: HotkeyOptions = {}) {
  const {
    isEnabled = true,
    worksInModal = false,
    worksWhileTyping = false,
    repeatMs = Number.POSITIVE_INFINITY,
  } = options
  const calledAt = useRef(0)
  const handle = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing || !matchesHotkey(event, hotkey)) return
    if ((isTyping(event.target) && !worksWhileTyping) || isButtonPress(event)) return
    if (/^\S$/.test(hotkey) && !areSingleKeysEnabled()) return
    if (!worksInModal && isModalOpen()) return
    event.preventDefault()
    if (event.repeat && event.timeStamp - calledAt.current < repeatMs) return
    calledAt.current = event.timeStamp
    onPress(event)
  })
  // A layout effect, so that a visible element already reacts to its keys.
  useLayoutEffect(() => {
    if (!isEnabled) return
    const listen = (event: KeyboardEvent) => handle(event)
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [isEnabled])
}

/** Space presses the focused button, or plays a focused video. */
function isButtonPress({ key, target }: KeyboardEvent): boolean {
  return key === ' ' && target instanceof HTMLElement && target.matches('button, a, input, video')
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target instanceof HTMLInputElement) return !['checkbox', 'radio', 'button', 'range'].includes(target.type)
  return target.isContentEditable || target.matches('textarea, select')
}
