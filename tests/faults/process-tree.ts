import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { pssMiBOf, treeOf } from '../support/process-usage.ts'

/** The child processes of a server that run this file. */
export function childrenRunning(root: number, file: string) {
  const pids = treeOf(root).map(({ pid }) => pid)
  return pids.filter((pid) => pid !== root && readOrEmpty(`/proc/${pid}/cmdline`).includes(file))
}

/** Memory of the one process, without its children. */
export function residentBytes(pid: number) {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readOrEmpty(`/proc/${pid}/status`))?.[1] ?? 0) * 1024
}

/** Open file descriptors by target, without numbers that differ each time. */
export function descriptorsOf(pid: number) {
  const folder = `/proc/${pid}/fd`
  return readdirSync(folder).map((name) => {
    try {
      return readlinkSync(`${folder}/${name}`).replace(/:\[\d+\]$/, '')
    } catch {
      return 'closed meanwhile'
    }
  })
}

/** Measures the memory of all processes while `work` runs: the maximum, and its growth. */
export async function watchMemory<T>(root: number, work: () => Promise<T>, everyMs = 50) {
  const before = memoryOf(root)
  let highest = before
  let isOver = false
  const watching = (async () => {
    while (!isOver) {
      highest = Math.max(highest, memoryOf(root))
      await delay(everyMs)
    }
  })()
  try {
    const result = await work()
    return { result, highest, growth: highest - before }
  } finally {
    isOver = true
    await watching
  }
}

const memoryOf = (root: number) => pssMiBOf(root) * 2 ** 20

/** A process may have ended between listing and reading it. */
function readOrEmpty(path: string) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
