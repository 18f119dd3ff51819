import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setPriority } from 'node:os'
import { delimiter } from 'node:path'
import { createInterface } from 'node:readline'
import { storageFull } from '#platform/errors.ts'
import { endFirst } from '#platform/server/process-pool/end-first.ts'
import { endedBySystem, tookTooLong } from '#platform/server/process-pool/process-pool.ts'
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

/**
 * ffmpeg does not notice when nobody reads it any more, and goes on for hours after a server that was killed. A shell stands
 * between: a line of its input begins the tool, and the end of its input ends it, whether we close it or are no more. What is
 * run comes as arguments, which no shell reads.
 */
const guard = `
read -r line || exit
exec 3<&0
/usr/bin/env -i "PATH=$PATH" "$@" 3<&- </dev/null &
tool=$!
{ read -r line <&3; kill -9 "$tool"; } >/dev/null 2>&1 &
watch=$!
wait "$tool"
code=$?
kill "$watch" 2>/dev/null
wait "$watch"
exit "$code"`
const notFoundCode = 127
/** As shells tell it of what was killed. */
const killedCode = 137

/** Runs ffmpeg or ffprobe and gives back what it printed. It ends with the clock, the signal or this process. */
export async function runTool(tool: string, args: string[], { timeoutMs, niceness, signal, onLine }: ToolRun) {
  signal.throwIfAborted()
  const clock = AbortSignal.timeout(timeoutMs)
  const child = spawn('/bin/sh', ['-c', guard, 'guard', tool, ...args], {
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  // With too many files open it has no pipes either, and a fault that nobody hears would end the server.
  if (!child.stdin) throw (await once(child, 'error'))[0]
  AbortSignal.any([signal, clock]).addEventListener('abort', () => child.stdin.destroy(), { once: true })
  if (child.pid) giveWay(child.pid, niceness)
  endFirst(child.pid)
  child.stdin.on('error', () => {}) // whatever it is, the end of the child tells it
  child.stdin.write('\n')
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
  const [code, killedBy] = await once(child, 'close')
  signal.throwIfAborted()
  if (clock.aborted) throw tookTooLong(timeoutMs)
  if (failure && failure.code !== 'ENOENT') throw failure
  if (failure || code === notFoundCode) throw videoUnavailable()
  if (killedBy || code === killedCode) throw endedBySystem()
  if (code !== 0) throw complaint.includes('No space left') ? storageFull() : corruptVideo()
  return output
}

/** What the child starts gives way as it does. */
function giveWay(pid: number, niceness: number) {
  try {
    setPriority(pid, niceness)
  } catch {
    // It may have ended already, or a container may forbid it.
  }
}
