import { readFileSync } from 'node:fs'
import { cpuMsOf } from '../support/process-usage.ts'

/**
 * Goals are wall times on an otherwise idle machine. The load of other programs is recorded next to each figure, so that a
 * missed goal can be explained.
 */
export function watchOthers() {
  const before = usage()
  return () => {
    const now = usage()
    const others = now.busyMs - before.busyMs - (now.ownMs - before.ownMs)
    const share = others / Math.max(1, now.allMs - before.allMs)
    return `other programs used ${Math.max(0, Math.round(share * 100))}% of the machine`
  }
}

/** CPU time of the whole machine since it was started, and of this process with all that it started. */
function usage() {
  const line = /^cpu +(.*)$/m.exec(readFileSync('/proc/stat', 'utf8'))![1]!
  // user, nice, system, idle, waiting for a disk, interrupts (two kinds), stolen by the host; the rest is counted in user.
  const ms = line.split(' ').map((ticks) => Number(ticks) * 10)
  const [idleMs, allMs] = [ms[3]! + ms[4]!, ms.slice(0, 8).reduce((sum, part) => sum + part, 0)]
  return { allMs, busyMs: allMs - idleMs, ownMs: cpuMsOf(process.pid) }
}
