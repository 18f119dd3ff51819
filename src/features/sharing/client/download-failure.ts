import { showPublicToast } from './public-toast.ts'

/** Browsers barely show a failed download, so the page does. */
export function reportDownloadFailure(link: HTMLAnchorElement) {
  link.addEventListener('click', async () => {
    const { status } = await fetch(link.href, { method: 'HEAD' }).catch(() => ({ status: 0 }))
    const isRefused = status >= 400 && status < 500
    // The reloaded page shows what has changed.
    if (isRefused) window.location.reload()
    else if (status === 0 || status >= 500)
      showPublicToast('Download failed', 'Please try again in a moment.', 'danger')
  })
}
