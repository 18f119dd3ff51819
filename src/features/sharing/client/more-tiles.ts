import { onReconnect, waitForServer } from './reconnect.ts'

export type MoreTiles = {
  /** Appends the next part; does nothing when there is none or the request fails. */
  load: () => Promise<void>
  isLeft: () => boolean
}

/**
 * Fetches and appends the next part of the collection near the end of the page. Without a script its link does that.
 */
export function loadMoreTiles(page: HTMLElement): MoreTiles {
  let loading: Promise<void> | undefined
  const load = () => {
    loading ??= joinNext().finally(() => {
      loading = undefined
    })
    return loading
  }
  // A busy browser reports several entries at once, the oldest first.
  const onSeen = (moments: IntersectionObserverEntry[]) => moments.at(-1)?.isIntersecting && void load()
  const watcher = new IntersectionObserver(onSeen, { rootMargin: '1200px' })

  async function joinNext() {
    // After a failure the link stays and can be clicked, until the connection or the server is back.
    watcher.disconnect()
    const link = nextLink(page)
    if (!link) return
    if (await join(page, link)) watch()
    else void waitForServer()
  }
  function watch() {
    const link = nextLink(page)
    if (link) watcher.observe(link)
  }
  watch()
  onReconnect(watch)
  return { load, isLeft: () => nextLink(page) !== null }
}

const nextLink = (page: ParentNode) => page.querySelector<HTMLAnchorElement>('.pub-pages a[rel=next]')

async function join(page: HTMLElement, link: HTMLAnchorElement) {
  const answer = await fetch(link.href).catch(() => undefined)
  if (!answer?.ok) return false
  const part = new DOMParser().parseFromString(await answer.text(), 'text/html')
  const style = part.querySelector('link[href*="/style.css"]')
  if (style) document.head.append(document.adoptNode(style))
  // If the owner has inserted items meanwhile, the next part starts with tiles that are already here.
  const known = new Set(tilesOf(page).map(urlOf))
  page.querySelector('.pub-grid')?.append(...tilesOf(part).filter((tile) => !known.has(urlOf(tile))))
  const next = nextLink(part)
  if (next) link.replaceWith(next)
  else link.remove()
  return true
}

const tilesOf = (page: ParentNode) => [...page.querySelectorAll('.pub-grid > li')]

const urlOf = (tile: Element) => tile.querySelector('a')?.getAttribute('href')
