import { copyText } from '#ui/copy-text.ts'
import { toastError, toastSuccess } from '#ui/notices/toast.ts'

export async function copyPublicUrl(url: string) {
  try {
    await copyText(url)
  } catch {
    // Shows the address, so that the user can copy it manually.
    return toastError('Copy failed', url)
  }
  toastSuccess('Copied to clipboard', 'Public URL copied successfully.')
}
