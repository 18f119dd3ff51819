/**
 * A key that is held repeats itself, and Enter then presses again: ten copies are made of a picture, a menu opens anew over
 * what was chosen in it, a wrong password is sent until nobody may try any more. Whoever lets go late has pressed once.
 */
export function pressOnce() {
  const ignoreRepeated = (event: KeyboardEvent) => {
    if (!event.repeat || event.key !== 'Enter') return
    // In longer texts it makes lines.
    if (!(event.target instanceof Element && event.target.matches('a, button, input'))) return
    event.preventDefault()
    event.stopPropagation()
  }
  document.addEventListener('keydown', ignoreRepeated, { capture: true })
}
