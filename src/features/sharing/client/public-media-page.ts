import { copyText } from '#ui/copy-text.ts'
import { actAsButton } from './act-as-button.ts'
import { reportDownloadFailure } from './download-failure.ts'
import { openAsDocument } from './open-as-document.ts'
import { showPublicToast } from './public-toast.ts'
import { retryMediaOnReconnect } from './retry-media.ts'

/** Enhances the server's page with a button that copies its address. */
export function mountPublicMediaPage(root: HTMLElement) {
  const page = root.querySelector<HTMLElement>('.pub-root')
  if (!page) return openAsDocument(root)
  retryMediaOnReconnect(page)
  const download = page.querySelector<HTMLAnchorElement>('a[download]')
  if (download) reportDownloadFailure(download)
  const link = page.querySelector<HTMLAnchorElement>('a[data-copy-link]')
  if (!link) return
  actAsButton(link, async () => {
    try {
      await copyText(link.href)
      showPublicToast('Copied to clipboard', 'Link copied successfully.')
    } catch {
      showPublicToast('Copy failed', "Couldn't copy the link to the clipboard.", 'danger')
    }
  })
}
