/** Fills the element with the page of one public item. */
export function mountPublicMediaPage(root: HTMLElement, slug: string) {
  const heading = document.createElement('h1')
  heading.textContent = slug
  root.append(heading)
}
