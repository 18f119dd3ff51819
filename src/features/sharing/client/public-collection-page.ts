import { askAgainWhenOnline } from './ask-again.ts'
import { copyUrlsOnPress } from './copy-urls.ts'
import { createLightbox } from './lightbox.ts'
import { loadMoreTiles } from './more-tiles.ts'
import { openAsDocument } from './open-as-document.ts'
import { reloadWhenRefused } from './refused-download.ts'

/** Adds to the page that the server sent: the lightbox, copying, the next part before it is asked for. */
export function mountPublicCollectionPage(root: HTMLElement) {
  const page = root.querySelector<HTMLElement>('.pub-root')
  if (!page) return openAsDocument(root)
  const grid = page.querySelector<HTMLElement>('.pub-grid')
  if (!grid) return
  const lightbox = createLightbox(grid, loadMoreTiles(page))
  grid.addEventListener('click', (event) => {
    const tile = (event.target as Element).closest<HTMLAnchorElement>('a[data-media]')
    // With a modifier it is a link like any other: a new tab, a new window, a download.
    if (!tile || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    // The second press of two was meant for what the first has closed.
    if (event.detail < 2) lightbox.open(tile)
  })
  markBroken(grid)
  askAgainWhenOnline(page)
  const copy = page.querySelector<HTMLAnchorElement>('a[data-copy]')
  if (copy) copyUrlsOnPress(copy)
  const download = page.querySelector<HTMLAnchorElement>('a[download]')
  if (download) reloadWhenRefused(download)
}

/** A thumbnail that does not come becomes an icon until it does, also one that failed before this script was there. */
function markBroken(grid: HTMLElement) {
  const mark = (image: HTMLImageElement, isBroken: boolean) =>
    image.closest('.pub-item')?.classList.toggle('pub-broken', isBroken)
  for (const outcome of ['error', 'load']) {
    const onOutcome = ({ target }: Event) => target instanceof HTMLImageElement && mark(target, outcome === 'error')
    grid.addEventListener(outcome, onOutcome, { capture: true })
  }
  for (const image of grid.querySelectorAll('img')) if (image.complete && image.naturalWidth === 0) mark(image, true)
}
