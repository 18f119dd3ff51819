import { isOnMac } from './hotkey.ts'

const named: Record<string, string> = {
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  Escape: 'Esc',
  shift: 'Shift',
  ' ': 'Space',
}

/** A hotkey as `Kbd` shows it: "mod+k" is "Ctrl K", on a Mac "⌘ K". */
export function keysOf(hotkey: string | undefined, isMac = isOnMac()): string | undefined {
  const onThisKeyboard: Record<string, string> = isMac ? { mod: '⌘', Delete: '⌫' } : { mod: 'Ctrl' }
  const nameOf = (key: string) => onThisKeyboard[key] ?? named[key] ?? (key.length === 1 ? key.toUpperCase() : key)
  return hotkey
    ?.split(/\+(?=.)/)
    .map(nameOf)
    .join(' ')
}
