import { element } from './elements.ts'

/**
 * Public pages come from the server as documents. Reached by a step inside the application there is none yet, so the
 * address is opened anew; once, because a server that answers it with the application would answer so again.
 */
export function openAsDocument(root: HTMLElement) {
  const [loaded] = performance.getEntriesByType('navigation')
  if (loaded && new URL(loaded.name).pathname === window.location.pathname) {
    root.replaceChildren(element('p', {}, "Couldn't load this page. Please refresh it."))
    return
  }
  window.location.reload()
}
