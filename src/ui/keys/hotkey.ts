import { storedChoice } from '../stored-choice.ts'

type KeyPress = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>

/**
 * Whether a key press matches "k", "shift+k", "mod+k" (Ctrl, or Cmd on a Mac), "?" or "Escape". The key that Macs label
 * "delete" sends Backspace and counts as Delete. Shift is ignored for symbols such as "?" and "/", since some keyboard layouts
 * need it for them.
 */
export function matchesHotkey(press: KeyPress, hotkey: string, isMac = isOnMac()): boolean {
  const parts = hotkey.split(/\+(?=.)/)
  const key = parts.at(-1)!
  const wants = (modifier: string) => parts.slice(0, -1).includes(modifier)
  const isSymbol = key.length === 1 && key.toLowerCase() === key.toUpperCase()
  return (
    (isMac && press.key === 'Backspace' ? 'delete' : press.key.toLowerCase()) === key.toLowerCase() &&
    (press.ctrlKey || press.metaKey) === wants('mod') &&
    !press.altKey &&
    (isSymbol || press.shiftKey === wants('shift'))
  )
}

export const isOnMac = () => /^Mac/.test(navigator.platform)

const choice = storedChoice('albumen-single-keys')

/** Whether single-key shortcuts are on; dictation software would trigger them with every word. */
export const areSingleKeysEnabled = () => choice.read() !== 'off'

export const enableSingleKeys = (isEnabled: boolean) => choice.write(isEnabled ? 'on' : 'off')
