/**
 * Loads the pictures of tiles up to one screen away from the window; public-grid.css holds the others back. Without
 * scripts, the browser loads them by its own rules.
 */
export function loadNearTiles(page: HTMLElement, grid: HTMLElement) {
  page.classList.add('pub-scripted')
  const watcher = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) continue
        target.classList.add('pub-near')
        watcher.unobserve(target)
      }
    },
    { rootMargin: '100%' },
  )
  const watchNew = () => {
    for (const tile of grid.querySelectorAll('.pub-item:not(.pub-near)')) watcher.observe(tile)
  }
  watchNew()
  new MutationObserver(watchNew).observe(grid, { childList: true })
}
