export type TypedAhead = { text: string; isEntered: boolean }

/** Keeps what the user types while a field is still loading. The returned function ends it and gives the text to the field. */
export function collectTyping(): () => TypedAhead {
  const typed: TypedAhead = { text: '', isEntered: false }
  const collect = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'Enter') typed.isEntered = true
    else if (event.key.length === 1) typed.text += event.key
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  window.addEventListener('keydown', collect, { capture: true })
  return () => {
    window.removeEventListener('keydown', collect, { capture: true })
    return typed
  }
}
