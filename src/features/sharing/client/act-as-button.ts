/** Makes a link act as a button: Space presses it too. Without the script it stays a link. */
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
