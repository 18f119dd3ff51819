import { copyText } from '#ui/copy-text.ts'
import { actAsButton } from './act-as-button.ts'
import { askAgainWhenBack } from './ask-again.ts'
import { tellOfFailure } from './failed-download.ts'
import { openAsDocument } from './open-as-document.ts'
import { showPublicToast } from './public-toast.ts'

/** Adds to the page that the server sent: its address can be copied. */
export function mountPublicMediaPage(root: HTMLElement) {
  const page = root.querySelector<HTMLElement>('.pub-root')
  if (!page) return openAsDocument(root)
  askAgainWhenBack(page)
  const download = page.querySelector<HTMLAnchorElement>('a[download]')
  if (download) tellOfFailure(download)
  const link = page.querySelector<HTMLAnchorElement>('a[data-copy-link]')
  if (!link) return
  actAsButton(link, async () => {
    try {
      await copyText(link.href)
      showPublicToast('Copied to clipboard', 'Link copied successfully.')
    } catch {
      showPublicToast('Copy failed', 'Could not copy the link to clipboard.', 'danger')
    }
  })
}
