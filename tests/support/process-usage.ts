import { readdirSync, readFileSync } from 'node:fs'

/** Linux reports CPU time in hundredths of a second on every machine. */
const msPerTick = 10

type Stat = { pid: number; parent: number; cpuMs: number; endedChildrenMs: number }

/** The CPU time of a process and all its descendants, ended ones included. */
export function cpuMsOf(pid: number) {
  return treeOf(pid).reduce((sum, { cpuMs }) => sum + cpuMs, 0)
}

/** The CPU time of children that have ended. */
export const endedChildrenMsOf = (pid: number) => readStat(pid)?.endedChildrenMs ?? 0

/** `Pss_Anon` excludes file mappings, which the kernel frees when it needs memory. */
type Counted = 'Pss' | 'Pss_Anon'

/** The proportional set size of a process and its descendants, which counts shared memory once. */
export function pssMiBOf(pid: number, counted: Counted = 'Pss') {
  return treeOf(pid).reduce((sum, member) => sum + pssKiB(member.pid, counted), 0) / 1024
}

/** Runs the work; returns its result and the peak memory of the process and its descendants. */
export async function peakPssMiB<Result>(pid: number, work: () => Promise<Result>, counted?: Counted) {
  let peak = pssMiBOf(pid, counted)
  const timer = setInterval(() => (peak = Math.max(peak, pssMiBOf(pid, counted))), 100)
  try {
    const result = await work()
    return { result, peak: Math.max(peak, pssMiBOf(pid, counted)) }
  } finally {
    clearInterval(timer)
  }
}

/** The process and all its descendants. */
export function treeOf(root: number): Stat[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readStat(Number(name)) ?? [])
  const children = Map.groupBy(all, ({ parent }) => parent)
  const found = all.filter(({ pid }) => pid === root)
  for (const { pid } of found) found.push(...(children.get(pid) ?? []))
  return found
}

/** Undefined for a process that has just ended. */
function readStat(pid: number): Stat | undefined {
  const text = readOrEmpty(`/proc/${pid}/stat`)
  if (!text) return undefined
  // The name in parentheses may contain spaces, so fields are counted after it: state, parent, …
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [own, ofSystem, ofChildren, ofChildrensSystem] = fields.slice(11, 15).map((ticks) => Number(ticks) * msPerTick)
  const endedChildrenMs = ofChildren! + ofChildrensSystem!
  return { pid, parent: Number(fields[1]), cpuMs: own! + ofSystem! + endedChildrenMs, endedChildrenMs }
}

function pssKiB(pid: number, counted: Counted) {
  const found = new RegExp(`^${counted}:\\s+(\\d+)`, 'm').exec(readOrEmpty(`/proc/${pid}/smaps_rollup`))
  return Number(found?.[1] ?? 0)
}

function readOrEmpty(path: string) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
