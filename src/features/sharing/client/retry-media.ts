import { onReconnect, waitForServer } from './reconnect.ts'

/** Reloads the images and videos of a page that failed to load, once the connection or the server is back. */
export function retryMediaOnReconnect(page: HTMLElement) {
  const missing = () => [...page.querySelectorAll('img')].filter((image) => image.complete && image.naturalWidth === 0)
  // This includes the lightbox. Errors from before this script ran are found by the check below.
  document.addEventListener('error', () => void waitForServer(), { capture: true })
  if (missing().length > 0) void waitForServer()
  onReconnect(() => {
    // Setting `src` to the same value fetches the image again.
    for (const image of missing()) image.setAttribute('src', image.getAttribute('src')!)
    for (const film of page.querySelectorAll('video')) {
      if (!film.error) continue
      const seconds = film.currentTime
      film.load()
      film.currentTime = seconds
    }
  })
}
