type KeyPress = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>

/**
 * Does this press match "k", "shift+k", "mod+k" (Ctrl, or Cmd on a Mac), "?" or "Escape"?
 * The key that Macs label "delete" sends Backspace; there it is Delete.
 * Signs such as "?" and "/" may need Shift on one keyboard and not on another, so it counts only for letters and named keys.
 */
export function matchesHotkey(press: KeyPress, hotkey: string, isMac = isOnMac()): boolean {
  const parts = hotkey.split(/\+(?=.)/)
  const key = parts.at(-1)!
  const wants = (modifier: string) => parts.slice(0, -1).includes(modifier)
  const isSign = key.length === 1 && key.toLowerCase() === key.toUpperCase()
  return (
    (isMac && press.key === 'Backspace' ? 'delete' : press.key.toLowerCase()) === key.toLowerCase() &&
    (press.ctrlKey || press.metaKey) === wants('mod') &&
    !press.altKey &&
    (isSign || press.shiftKey === wants('shift'))
  )
}

export const isOnMac = () => /^Mac/.test(navigator.platform)
