import { spawn } from 'node:child_process'
import { setPriority } from 'node:os'
import { delimiter } from 'node:path'
import { createInterface } from 'node:readline'
import { AppError, storageFull } from '#platform/errors.ts'
import { corruptVideo, videoUnavailable } from '../refusals.ts'

export type ToolRun = {
  timeoutMs: number
  niceness: number
  signal: AbortSignal
  onLine?: (line: string) => void
}

const maxOutputLength = 4 * 1024 * 1024

/** All that the tool learns of the server's environment: where programs are, and none of its keys or passwords. */
const env = {
  PATH: ['/usr/local/bin', '/usr/bin', '/bin', '/opt/homebrew/bin', '/opt/local/bin', '/snap/bin'].join(delimiter),
}

/** Runs ffmpeg or ffprobe without a shell and gives back what it printed. It ends with the clock or the signal. */
export async function runTool(tool: string, args: string[], { timeoutMs, niceness, signal, onLine }: ToolRun) {
  signal.throwIfAborted()
  const clock = AbortSignal.timeout(timeoutMs)
  const child = spawn(tool, args, {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: AbortSignal.any([signal, clock]),
    killSignal: 'SIGKILL',
  })
  if (child.pid) giveWay(child.pid, niceness)
  let failure: NodeJS.ErrnoException | undefined
  let output = ''
  let complaint = ''
  child.once('error', (error) => {
    failure = error
  })
  createInterface({ input: child.stdout }).on('line', (line) => {
    onLine?.(line)
    if (output.length < maxOutputLength) output += `${line}\n`
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-2_000)
  })
  // Also after an abort: the caller may remove the file only when nobody writes it any more.
  const code = await new Promise((resolve) => child.once('close', resolve))
  signal.throwIfAborted()
  if (clock.aborted) throw tookTooLong(timeoutMs)
  if (failure) throw failure.code === 'ENOENT' ? videoUnavailable() : failure
  if (code !== 0) throw complaint.includes('No space left') ? storageFull() : corruptVideo()
  return output
}

const tookTooLong = (timeoutMs: number) =>
  new AppError('timeout', 500, `The work took longer than ${timeoutMs / 1000} s and was stopped`)

function giveWay(pid: number, niceness: number) {
  try {
    setPriority(pid, niceness)
  } catch {
    // It may have ended already, or a container may forbid it.
  }
}
