import { showPublicToast } from './public-toast.ts'

/** A browser tells of a download that fails in a corner, if at all. */
export function tellOfFailure(link: HTMLAnchorElement) {
  link.addEventListener('click', async () => {
    const { status } = await fetch(link.href, { method: 'HEAD' }).catch(() => ({ status: 0 }))
    const isRefused = status >= 400 && status < 500
    // The page, loaded anew, says what has changed.
    if (isRefused) window.location.reload()
    else if (status === 0 || status >= 500)
      showPublicToast('Download failed', 'Please try again in a moment.', 'danger')
  })
}
