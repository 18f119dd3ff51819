import { toastError, toastSuccess } from '#ui/notices/toast.ts'
import { type NextStep, reloadAfterMs } from './restore-flow.ts'

/** Everything on the page may be from the old library, so the page is reloaded after a restore. */
export function showRestoreResult(end: NextStep) {
  if (end.do === 'celebrate') {
    toastSuccess('Restore Complete', 'The page reloads in a moment.')
    setTimeout(() => window.location.reload(), reloadAfterMs)
  }
  if (end.do === 'tell-failure') toastError('Restore Failed', end.message)
  if (end.do === 'give-up')
    toastError('Restore Status Unknown', 'Unable to track restore progress. Please check manually.')
}
