import { copyText } from '#ui/copy-text.ts'
import { toastError, toastSuccess } from '#ui/notices/toast.ts'

export async function copyPublicUrl(url: string) {
  try {
    await copyText(url)
  } catch {
    // Whoever sees it can still copy it by hand.
    return toastError('Copy failed', url)
  }
  toastSuccess('Copied to clipboard', 'Public URL copied successfully.')
}
