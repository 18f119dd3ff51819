import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

// What the kernel knows of the product and its children. Linux only: elsewhere memory and CPU time count as 0.

/** The process and all that it started, directly or not. */
export function treeOf(root: number): number[] {
  const children = Map.groupBy(
    listProcesses().map((pid) => ({ pid, parent: parentOf(pid) })),
    ({ parent }) => parent,
  )
  const found = [root]
  for (const pid of found) found.push(...(children.get(pid) ?? []).map((child) => child.pid))
  return found
}

export function commandOf(pid: number) {
  return readQuietly(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim()
}

/** Bytes in memory; what several processes share is counted once. */
export function memoryOf(root: number) {
  return treeOf(root).reduce((sum, pid) => sum + kilobytesIn(`/proc/${pid}/smaps_rollup`, 'Pss') * 1024, 0)
}

export function residentBytes(pid: number) {
  return kilobytesIn(`/proc/${pid}/status`, 'VmRSS') * 1024
}

/** CPU time of the tree so far, also of children that have ended. */
export function cpuMsOf(root: number) {
  return treeOf(root).reduce((sum, pid) => {
    const [, , , , , , , , , , , user = 0, system = 0, endedUser = 0, endedSystem = 0] = statOf(pid).map(Number)
    return sum + (user + system + endedUser + endedSystem) * 10
  }, 0)
}

/** Open descriptors by what they lead to, without numbers that differ each time. */
export function descriptorsOf(pid: number) {
  const folder = `/proc/${pid}/fd`
  return listQuietly(folder).map((name) => {
    try {
      return readlinkSync(`${folder}/${name}`).replace(/:\[\d+\]$/, '')
    } catch {
      return 'closed meanwhile'
    }
  })
}

/** Watches the tree's memory while something happens: the highest figure, above what it was before. */
export async function watchMemory<T>(root: number, work: () => Promise<T>) {
  const before = memoryOf(root)
  let highest = before
  let isOver = false
  const watching = (async () => {
    while (!isOver) {
      highest = Math.max(highest, memoryOf(root))
      await delay(50)
    }
  })()
  try {
    const result = await work()
    return { result, before, highest, growth: highest - before }
  } finally {
    isOver = true
    await watching
  }
}

function listProcesses() {
  return listQuietly('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []))
}

/** The fields from the state on; the name before them may hold anything. */
function statOf(pid: number) {
  const text = readQuietly(`/proc/${pid}/stat`)
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}

const parentOf = (pid: number) => Number(statOf(pid)[1])

function kilobytesIn(path: string, field: string) {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readQuietly(path))?.[1] ?? 0)
}

/** Processes come and go between two looks. */
function readQuietly(path: string) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function listQuietly(path: string) {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}
