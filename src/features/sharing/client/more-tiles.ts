import { waitForServer, whenBack } from './when-back.ts'

export type MoreTiles = {
  /** Joins the next part on, or does nothing when there is none or it does not come. */
  load: () => Promise<void>
  isLeft: () => boolean
}

/** As the reader nears the end, the next part of the collection is fetched and joined on. Without a script its link does that. */
export function loadMoreTiles(page: HTMLElement): MoreTiles {
  let loading: Promise<void> | undefined
  const load = () => {
    loading ??= joinNext().finally(() => {
      loading = undefined
    })
    return loading
  }
  // A busy browser tells several moments at once, the oldest first.
  const onSeen = (moments: IntersectionObserverEntry[]) => moments.at(-1)?.isIntersecting && void load()
  const watcher = new IntersectionObserver(onSeen, { rootMargin: '1200px' })

  async function joinNext() {
    // If nothing comes, the link stays and can be followed by hand, until the connection or the server is back.
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
  whenBack(watch)
  return { load, isLeft: () => nextLink(page) !== null }
}

const nextLink = (page: ParentNode) => page.querySelector<HTMLAnchorElement>('.pub-pages a[rel=next]')

async function join(page: HTMLElement, link: HTMLAnchorElement) {
  const answer = await fetch(link.href).catch(() => undefined)
  if (!answer?.ok) return false
  const part = new DOMParser().parseFromString(await answer.text(), 'text/html')
  const style = part.querySelector('link[href*="/style.css"]')
  if (style) document.head.append(document.adoptNode(style))
  // The owner may have put something before the end of what is there, which moved by so much into this part.
  const known = new Set(tilesOf(page).map(urlOf))
  page.querySelector('.pub-grid')?.append(...tilesOf(part).filter((tile) => !known.has(urlOf(tile))))
  const next = nextLink(part)
  if (next) link.replaceWith(next)
  else link.remove()
  return true
}

const tilesOf = (page: ParentNode) => [...page.querySelectorAll('.pub-grid > li')]

const urlOf = (tile: Element) => tile.querySelector('a')?.getAttribute('href')
