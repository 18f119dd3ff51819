import { copyText } from '#ui/copy-text.ts'
import { openAsDocument } from './open-as-document.ts'
import { showPublicToast } from './public-toast.ts'

/** Adds to the page that the server sent: its address can be copied. */
export function mountPublicMediaPage(root: HTMLElement) {
  const page = root.querySelector<HTMLElement>('.pub-root')
  if (!page) return openAsDocument(root)
  const link = page.querySelector<HTMLAnchorElement>('a[data-copy-link]')
  link?.setAttribute('role', 'button')
  link?.addEventListener('click', async (event) => {
    event.preventDefault()
    try {
      await copyText(link.href)
      showPublicToast('Copied to clipboard', 'Link copied successfully.')
    } catch {
      showPublicToast('Copy failed', 'Could not copy the link to clipboard.', 'danger')
    }
  })
}
