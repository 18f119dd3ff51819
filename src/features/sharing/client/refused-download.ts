/** A browser tells of a refused download in a corner, if at all. The page, loaded anew, says what has changed. */
export function reloadWhenRefused(link: HTMLAnchorElement) {
  link.addEventListener('click', async () => {
    const { status } = await fetch(link.href, { method: 'HEAD' }).catch(() => ({ status: 0 }))
    if (status >= 400 && status < 500) window.location.reload()
  })
}
