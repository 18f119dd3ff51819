import { countOf } from '#shared/count.ts'
import { toastError, toastSuccess } from '#ui/notices/toast.ts'
import { type NextStep, reloadAfterMs } from './restore-flow.ts'

/** Everything on the page may be from the old library, so the page is reloaded after a restore. */
export function showRestoreResult(end: NextStep) {
  if (end.do === 'celebrate') {
    toastSuccess('Restore Complete', `${filesInWords(end)}The page reloads in a moment.`)
    setTimeout(() => window.location.reload(), reloadAfterMs)
  }
  if (end.do === 'tell-failure') toastError('Restore Failed', end.message)
  if (end.do === 'give-up')
    toastError('Restore Status Unknown', 'Unable to track restore progress. Please check manually.')
}

/** What happened to files that were damaged; nothing if none was. */
export function filesInWords({ healedFiles, lostFiles }: { healedFiles: number; lostFiles: number }) {
  const healed = healedFiles > 0 && `${countOf(healedFiles, 'damaged file was', 'damaged files were')} replaced. `
  const lost = lostFiles > 0 && `${countOf(lostFiles, 'file')} could not be restored. `
  return [healed, lost].filter(Boolean).join('')
}
