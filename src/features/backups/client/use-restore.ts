import { useEffect, useRef, useState } from 'react'
import { call, causeOf } from '#platform/client/call.ts'
import { isServerError } from '#platform/client/retry.ts'
import { toastError } from '#ui/notices/toast.ts'
import type { backupsApi, RestoreProgress } from '../contract.ts'
import { afterAnswer, afterFault, type NextStep } from './restore-flow.ts'
import { showRestoreResult } from './restore-result.ts'

type RestoreState = { phase: 'idle' } | { phase: 'starting' } | { phase: 'restoring'; progress: RestoreProgress }

const begun: RestoreProgress = { progress: 0, message: 'Starting the restore', step: 'Starting', isRestoring: true }

const isRestoring = () =>
  call<typeof backupsApi.restoreProgress>('GET /api/admin/backups/restore-progress').then(
    (progress) => progress.isRestoring,
    () => false,
  )

/** The state of one restore, from its request to the reload of the page. */
export function useRestore(onFailed: () => void) {
  const [state, setState] = useState<RestoreState>({ phase: 'idle' })
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])

  async function start(id: string, wishes: { skipSafetyBackup: boolean; acceptLostFiles: boolean }) {
    setState({ phase: 'starting' })
    try {
      await call<typeof backupsApi.restore>('POST /api/admin/backups/:id/restore', { params: { id }, body: wishes })
    } catch (error) {
      // The lost response may have said that the restore has started.
      const mayHaveBegun = !isServerError(error) && (await isRestoring())
      if (mayHaveBegun) return poll()
      toastError('Restore Failed', 'Failed to start backup restore', causeOf(error))
      setState({ phase: 'idle' })
      return
    }
    setState({ phase: 'restoring', progress: begun })
    await poll()
  }

  async function poll() {
    follow(await ask())
  }

  async function ask(): Promise<NextStep> {
    try {
      const progress = await call<typeof backupsApi.restoreProgress>('GET /api/admin/backups/restore-progress')
      setState({ phase: 'restoring', progress })
      return afterAnswer(progress)
    } catch (error) {
      return afterFault(error)
    }
  }

  function follow(next: NextStep) {
    if (next.do === 'ask-again') {
      timer.current = setTimeout(() => void poll(), next.afterMs)
      return
    }
    showRestoreResult(next)
    if (next.do === 'celebrate') return
    setState({ phase: 'idle' })
    onFailed()
  }

  return { state, start }
}
