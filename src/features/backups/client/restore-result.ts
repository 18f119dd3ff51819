import { countOf } from '#shared/count.ts'
import { toastError, toastSuccess } from '#ui/notices/toast.ts'
import { type NextStep, reloadAfterMs } from './restore-flow.ts'

/** Everything on the page may be from the old library, so the page is reloaded after a restore. */
export function showRestoreResult(end: NextStep) {
  if (end.do === 'celebrate') {
    toastSuccess('Restore Complete', `${healedInWords(end.healedFiles)}The page reloads in a moment.`)
    setTimeout(() => window.location.reload(), reloadAfterMs)
  }
  if (end.do === 'tell-failure') toastError('Restore Failed', end.message)
  if (end.do === 'give-up')
    toastError('Restore Status Unknown', 'Unable to track restore progress. Please check manually.')
}

const healedInWords = (count: number) =>
  count === 0 ? '' : `${countOf(count, 'damaged file was', 'damaged files were')} replaced. `
