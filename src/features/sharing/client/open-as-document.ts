import { element } from './elements.ts'

/**
 * Public pages are documents from the server. After a navigation inside the application there is none, so the page is
 * reloaded; only once, because a server that answers with the application would do so again.
 */
export function openAsDocument(root: HTMLElement) {
  const [loaded] = performance.getEntriesByType('navigation')
  if (loaded && new URL(loaded.name).pathname === window.location.pathname) {
    root.replaceChildren(element('p', {}, "Couldn't load this page. Please refresh it."))
    return
  }
  window.location.reload()
}
