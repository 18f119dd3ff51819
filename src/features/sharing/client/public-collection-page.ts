import { askAgainWhenBack } from './ask-again.ts'
import { copyUrlsOnPress } from './copy-urls.ts'
import { tellOfFailure } from './failed-download.ts'
import { createLightbox } from './lightbox.ts'
import { loadMoreTiles } from './more-tiles.ts'
import { openAsDocument } from './open-as-document.ts'

/** Adds to the page that the server sent: the lightbox, copying, the next part before it is asked for. */
export function mountPublicCollectionPage(root: HTMLElement) {
  const page = root.querySelector<HTMLElement>('.pub-root')
  if (!page) return openAsDocument(root)
  markBroken(page)
  askAgainWhenBack(page)
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
  const copy = page.querySelector<HTMLAnchorElement>('a[data-copy]')
  if (copy) copyUrlsOnPress(copy)
  const download = page.querySelector<HTMLAnchorElement>('a[download]')
  if (download) tellOfFailure(download)
}

/** What does not come is marked until it does, also what failed before this script was there. */
function markBroken(page: HTMLElement) {
  for (const outcome of ['error', 'load']) {
    const onOutcome = ({ target }: Event) => target instanceof HTMLImageElement && mark(target, outcome === 'error')
    page.addEventListener(outcome, onOutcome, { capture: true })
  }
  for (const image of page.querySelectorAll('img')) if (image.complete && image.naturalWidth === 0) mark(image, true)
}

/** A tile becomes an icon. Without its picture the header is one of words, and without a logo there is none. */
function mark(image: HTMLImageElement, isBroken: boolean) {
  const tile = image.closest('.pub-item')
  if (tile) return tile.classList.toggle('pub-broken', isBroken)
  image.hidden = isBroken
  if (image.matches('.pub-header-image')) image.parentElement!.classList.toggle('pub-has-image', !isBroken)
}
