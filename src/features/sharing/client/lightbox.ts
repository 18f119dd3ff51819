import { togglePlayback } from '#ui/toggle-playback.ts'
import { reportDownloadFailure } from './download-failure.ts'
import { element, icon } from './elements.ts'
import type { MoreTiles } from './more-tiles.ts'
import { onReconnect } from './reconnect.ts'
import { altOf, isNotLoaded, makeSlide, prepareSlide, slideDataOf } from './slide.ts'
import { onSwipe } from './swipe.ts'

/** The next part of the collection is fetched this many tiles before the end of the loaded ones. */
const tilesAhead = 5
/**
 * Screen readers do not announce a live region's text when its dialog opens; text set after this delay is announced.
 */
const untilLiveMs = 200

/** One image on the whole screen; arrows, Home, End, Escape and swipes move through the tiles of the collection. */
export function createLightbox(grid: HTMLElement, more: MoreTiles) {
  const tiles = () => [...grid.querySelectorAll<HTMLAnchorElement>('a[data-media]')]
  /** The number of tiles on earlier pages, and in the collection. */
  const [first, total] = [Number(grid.dataset.first), Number(grid.dataset.total)]
  let index = 0
  const count = element('span', { 'aria-hidden': 'true' })
  const spoken = element('span', { class: 'pub-hidden', 'aria-live': 'polite', 'aria-atomic': 'true' })
  const place = element('span', {}, count, spoken)
  const caption = element('div', { class: 'pub-caption', dir: 'auto' })
  const closeButton = tool('Close', 'close', () => dialog.close())
  const previous = tool('Previous', 'previous', () => step(-1), '-1')
  const next = tool('Next', 'next', () => step(1), '1')
  const download = element('a', { class: 'pub-tool', download: '', 'aria-label': 'Download' }, icon('download'))
  reportDownloadFailure(download)
  const bar = element('div', { class: 'pub-bar' }, place, element('span', {}, download, closeButton))
  let slide = element('div')
  const show = element('div', { class: 'pub-show' }, slide, previous, next)
  const ahead = element('div', { hidden: '' })
  const facts = { class: 'pub-lightbox', 'aria-label': 'Viewer', tabindex: '-1' }
  const dialog = element('dialog', facts, bar, show, caption, ahead)
  document.body.append(dialog)

  function render() {
    const all = tiles()
    const tile = all[index]
    if (!tile) return dialog.close()
    const data = slideDataOf(tile)
    caption.textContent = data.caption ?? ''
    caption.hidden = !data.caption
    // Only the image is replaced, because a button that leaves the page loses the focus.
    replaceSlide(makeSlide(tile, data))
    download.hidden = !data.download
    download.href = data.download ?? ''
    ahead.replaceChildren(...[all[index + 1], all[index - 1]].flatMap(prepareSlide))
    renderSteps()
    if (index + tilesAhead >= all.length) void more.load().then(renderSteps)
  }

  function renderSteps() {
    const here = tiles().length
    const of = [first + index + 1, Math.max(total, first + here)]
    count.textContent = of.map((number) => number.toLocaleString('en')).join(' / ')
    previous.disabled = index === 0
    next.disabled = index === here - 1 && !more.isLeft()
  }

  function speak() {
    const tile = tiles()[index]
    if (tile && dialog.open)
      spoken.textContent = `${altOf(tile, slideDataOf(tile))}, ${count.textContent?.replace('/', 'of')}`
  }

  function replaceSlide(made: HTMLDivElement) {
    slide.replaceWith(made)
    slide = made
  }

  function step(by: number) {
    goTo(index + by)
  }

  function goTo(wanted: number) {
    const target = Math.max(0, Math.min(tiles().length - 1, wanted))
    // At the end of the loaded tiles, a part that failed to load is requested again.
    if (target < wanted) void more.load().then(renderSteps)
    if (target === index) return
    index = target
    const hadFocus = document.activeElement
    render()
    speak()
    // A button that is disabled at the end would lose the focus.
    if (hadFocus instanceof HTMLButtonElement && hadFocus.disabled) closeButton.focus()
  }

  dialog.addEventListener('keydown', (event) => {
    if (event.target instanceof HTMLVideoElement) return
    // The browser has its own shortcuts, such as Alt and an arrow for Back and Forward.
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
    // A focused button handles Space itself.
    if (event.key === ' ' && event.target === dialog) togglePlayback(slide.querySelector('video'))
    const wanted = { ArrowLeft: index - 1, ArrowRight: index + 1, Home: 0, End: tiles().length - 1 }[event.key]
    if (wanted === undefined) return
    event.preventDefault()
    goTo(wanted)
  })
  onSwipe(show, {
    onMove: (dx) => {
      slide.style.transform = `translateX(${dx}px)`
    },
    onCancel: () => {
      slide.style.transform = ''
    },
    onSwipe: step,
    onDown: () => dialog.close(),
  })
  onReconnect(() => isNotLoaded(slide) && render())
  // On a phone, Back closes the lightbox and not the page.
  window.addEventListener('popstate', () => dialog.close())
  // After a reload the history still has the entry of a lightbox that is no longer open.
  if (history.state?.isLightboxOpen) history.back()
  dialog.addEventListener('close', () => {
    replaceSlide(element('div'))
    spoken.textContent = ''
    const tile = tiles()[index]
    const bringIntoSight = () => tile?.scrollIntoView({ block: 'nearest' })
    if (history.state?.isLightboxOpen) {
      // Going back also restores the scroll position from when the lightbox was opened.
      window.addEventListener('popstate', () => requestAnimationFrame(bringIntoSight), { once: true })
      history.back()
    }
    tile?.focus({ preventScroll: true })
    bringIntoSight()
  })

  return {
    open(tile: HTMLAnchorElement) {
      index = tiles().indexOf(tile)
      history.pushState({ isLightboxOpen: true }, '')
      dialog.showModal()
      render()
      dialog.focus()
      setTimeout(speak, untilLiveMs)
    },
  }
}

function tool(label: string, name: 'close' | 'previous' | 'next', onPress: () => void, step?: string) {
  const button = element('button', {
    type: 'button',
    class: step ? 'pub-tool pub-step' : 'pub-tool',
    'aria-label': label,
  })
  if (step) button.dataset.step = step
  button.append(icon(name))
  button.addEventListener('click', onPress)
  return button
}
