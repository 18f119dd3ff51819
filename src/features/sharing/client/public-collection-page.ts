import { copyUrlsOnPress } from './copy-urls.ts'
import { reportDownloadFailure } from './download-failure.ts'
import { createLightbox } from './lightbox.ts'
import { loadMoreTiles } from './more-tiles.ts'
import { loadNearTiles } from './near-tiles.ts'
import { openAsDocument } from './open-as-document.ts'
import { retryMediaOnReconnect } from './retry-media.ts'

/** Enhances the server's page with the lightbox, the copy button and loading of the next part. */
export function mountPublicCollectionPage(root: HTMLElement) {
  const page = root.querySelector<HTMLElement>('.pub-root')
  if (!page) return openAsDocument(root)
  markBroken(page)
  retryMediaOnReconnect(page)
  const grid = page.querySelector<HTMLElement>('.pub-grid')
  if (!grid) return
  loadNearTiles(page, grid)
  const lightbox = createLightbox(grid, loadMoreTiles(page))
  grid.addEventListener('click', (event) => {
    const tile = (event.target as Element).closest<HTMLAnchorElement>('a[data-media]')
    // With a modifier key it is an ordinary link: a new tab, a new window, a download.
    if (!tile || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    // The second click of a double click was meant for what the first one has closed.
    if (event.detail < 2) lightbox.open(tile)
  })
  const copy = page.querySelector<HTMLAnchorElement>('a[data-copy]')
  if (copy) copyUrlsOnPress(copy)
  const download = page.querySelector<HTMLAnchorElement>('a[download]')
  if (download) reportDownloadFailure(download)
}

/** Marks images that failed to load, including those from before this script ran, until they load. */
function markBroken(page: HTMLElement) {
  for (const outcome of ['error', 'load']) {
    const onOutcome = ({ target }: Event) => target instanceof HTMLImageElement && mark(target, outcome === 'error')
    page.addEventListener(outcome, onOutcome, { capture: true })
  }
  for (const image of page.querySelectorAll('img')) if (image.complete && image.naturalWidth === 0) mark(image, true)
}

/** A broken tile shows an icon; a broken header image or logo is hidden. */
function mark(image: HTMLImageElement, isBroken: boolean) {
  const tile = image.closest('.pub-item')
  if (tile) return tile.classList.toggle('pub-broken', isBroken)
  image.hidden = isBroken
  if (image.matches('.pub-header-image')) image.parentElement!.classList.toggle('pub-has-image', !isBroken)
}
