/** As the reader nears the end, the next part of the collection is fetched and joined on. Without a script its link does that. */
export function loadMoreTiles(page: HTMLElement) {
  const watcher = new IntersectionObserver(
    ([entry]) => {
      if (!entry?.isIntersecting) return
      watcher.unobserve(entry.target)
      void join(page, entry.target as HTMLAnchorElement).then((next) => next && watcher.observe(next))
    },
    { rootMargin: '1200px' },
  )
  const link = nextLink(page)
  if (link) watcher.observe(link)
}

const nextLink = (page: ParentNode) => page.querySelector<HTMLAnchorElement>('.pub-pages a[rel=next]')

async function join(page: HTMLElement, link: HTMLAnchorElement) {
  const answer = await fetch(link.href).catch(() => undefined)
  // The link stays, and can be followed by hand.
  if (!answer?.ok) return null
  const part = new DOMParser().parseFromString(await answer.text(), 'text/html')
  const style = part.querySelector('link[href*="/style.css"]')
  if (style) document.head.append(document.adoptNode(style))
  page.querySelector('.pub-grid')?.append(...part.querySelectorAll('.pub-grid > li'))
  const next = nextLink(part)
  if (next) link.replaceWith(next)
  else link.remove()
  return next
}
