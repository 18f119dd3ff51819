import { waitForServer, whenBack } from './when-back.ts'

/** The pictures and films of a page that did not come for want of a connection or the server are asked for again. */
export function askAgainWhenBack(page: HTMLElement) {
  const missing = () => [...page.querySelectorAll('img')].filter((image) => image.complete && image.naturalWidth === 0)
  // Of the lightbox's, too. What failed before this script was there tells nobody any more.
  document.addEventListener('error', () => void waitForServer(), { capture: true })
  if (missing().length > 0) void waitForServer()
  whenBack(() => {
    // Set to what it is, it is fetched anew.
    for (const image of missing()) image.setAttribute('src', image.getAttribute('src')!)
    for (const film of page.querySelectorAll('video')) {
      if (!film.error) continue
      const seconds = film.currentTime
      film.load()
      film.currentTime = seconds
    }
  })
}
