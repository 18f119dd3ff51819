/** Without a script it is a link; with one it is a button, which Space presses too, as a link does not know. */
export function actAsButton(link: HTMLAnchorElement, onPress: () => void) {
  link.setAttribute('role', 'button')
  link.addEventListener('click', (event) => {
    event.preventDefault()
    onPress()
  })
  link.addEventListener('keydown', (event) => {
    if (event.key !== ' ') return
    event.preventDefault()
    if (!event.repeat) onPress()
  })
}
