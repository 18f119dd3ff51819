/** The pictures and films of a page that did not come for want of a connection are asked for again when it is back. */
export function askAgainWhenOnline(page: HTMLElement) {
  window.addEventListener('online', () => {
    for (const image of page.querySelectorAll('img')) {
      // Set to what it is, it is fetched anew.
      if (image.complete && image.naturalWidth === 0) image.setAttribute('src', image.getAttribute('src')!)
    }
    for (const film of page.querySelectorAll('video')) {
      if (!film.error) continue
      const seconds = film.currentTime
      film.load()
      film.currentTime = seconds
    }
  })
}
