import { useEffectEvent, useLayoutEffect, useRef } from 'react'
import { isModalOpen } from '../layers/open-modals.ts'
import { matchesHotkey } from './hotkey.ts'
import { areSingleKeysOn } from './single-keys.ts'

type HotkeyOptions = {
  isEnabled?: boolean
  /** Also while a dialog is open; for the dialog's own keys. */
  worksInModal?: boolean
  /** While the key is held down, again after at least so long; else a key that is held counts once. */
  repeatMs?: number
}

/** Calls back on a key anywhere in the page, except while someone types. */
export function useHotkey(hotkey: string, onPress: (event: KeyboardEvent) => void, options: HotkeyOptions = {}) {
  const { isEnabled = true, worksInModal = false, repeatMs = Number.POSITIVE_INFINITY } = options
  const calledAt = useRef(0)
  const handle = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing || !matchesHotkey(event, hotkey)) return
    if (isTyping(event.target) || isPressing(event)) return
    if (/^\S$/.test(hotkey) && !areSingleKeysOn()) return
    if (!worksInModal && isModalOpen()) return
    event.preventDefault()
    if (event.repeat && event.timeStamp - calledAt.current < repeatMs) return
    calledAt.current = event.timeStamp
    onPress(event)
  })
  // Before it is painted: what can be seen hears its keys.
  useLayoutEffect(() => {
    if (!isEnabled) return
    const listen = (event: KeyboardEvent) => handle(event)
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [isEnabled])
}

/** Space belongs to the button that has the focus, and to a player. */
function isPressing({ key, target }: KeyboardEvent): boolean {
  return key === ' ' && target instanceof HTMLElement && target.matches('button, a, input, video')
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target instanceof HTMLInputElement) return !['checkbox', 'radio', 'button', 'range'].includes(target.type)
  return target.isContentEditable || target.matches('textarea, select')
}
