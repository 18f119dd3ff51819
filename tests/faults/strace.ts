import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** True where strace is installed and may be used: containers often forbid it. */
export function hasStrace() {
  return new Promise<boolean>((resolve) => {
    const child = spawn('strace', ['-o', '/dev/null', 'true'], { stdio: 'ignore' })
    child.on('error', () => resolve(false))
    child.on('exit', (code) => resolve(code === 0))
  })
}

/** Many systems let strace start a process but not attach to one that runs. */
export async function canAttach(pid: number) {
  const attached = await attachStrace(pid, ['-e', 'trace=none']).catch(() => undefined)
  await attached?.end()
  return attached !== undefined
}

/** Holds a running process, with all its threads, until told to let it go. */
export async function attachStrace(pid: number, options: string[]) {
  const strace = spawn('strace', ['-f', '-p', String(pid), ...options, '-o', '/dev/null'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(strace, 'exit')
  // The wait for the attachment reports an early exit; after that the test itself ends strace.
  ended.catch(() => {})
  await new Promise<void>((resolve, reject) => {
    let printed = ''
    strace.stderr.on('data', (chunk) => {
      printed += chunk
      // "Process 123 attached with 11 threads"
      if (/\battached\b/.test(printed)) resolve()
    })
    strace.on('error', reject)
    strace.on('exit', () => reject(new Error(`Expected strace to attach, received: ${printed}`)))
  })
  return {
    async end() {
      strace.kill('SIGINT')
      await ended
    },
  }
}
