import type { AppError } from '#platform/errors.ts'
import { NotNow, RunFailure } from '#platform/server/runs/runs.ts'
import { isCommonFault } from '../failures.ts'
import { isWorthWaiting, pauseMs } from '../pauses.ts'

/** After this many equal failures in a row that would affect the next item as well, the run fails. */
const maxEqualFailures = 3
/** The number of consecutive pauses without a response that a run waits for; together at least 20 minutes. */
const maxPauses = 6

/** What the faults of single items mean for their run: it pauses as the endpoint asks for, and fails when all items would. */
export function createFaultJudge(pauses: number) {
  const canWait = pauses < maxPauses
  const recent: (AppError | undefined)[] = []
  return {
    canWait,
    /** Called with the outcome of each item; throws its fault. */
    judge(fault: AppError | undefined) {
      if (fault && canWait && isWorthWaiting(fault))
        throw new NotNow(fault.message, (earlier) => pauseMs(fault, earlier))
      recent.push(fault)
      if (fault) throw isRepeated(recent) ? new RunFailure(fault) : fault
    },
  }
}

/** The last few items failed for the same reason, which is not specific to them. */
function isRepeated(faults: (AppError | undefined)[]) {
  const last = faults.slice(-maxEqualFailures)
  return (
    last.length === maxEqualFailures && isCommonFault(last[0]) && last.every((fault) => fault?.code === last[0]?.code)
  )
}
