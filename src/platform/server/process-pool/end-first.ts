import { writeFileSync } from 'node:fs'

/**
 * Where memory runs out, Linux ends the process that holds the most of it, which is often the server, and everybody's work with
 * it. A child costs one task, so it is named first; whatever it starts inherits that.
 */
export function endFirst(pid: number | undefined) {
  if (!pid) return
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, '500')
  } catch {
    // It may have ended already, or this is not Linux.
  }
}
