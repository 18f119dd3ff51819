/** What does not come is marked until it does, also what failed before this script was there. */
export function markBroken(page: HTMLElement) {
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
