import { spawn } from 'node:child_process'

/** True where strace is installed and may be used: containers often forbid it. */
export function hasStrace() {
  return new Promise<boolean>((resolve) => {
    const child = spawn('strace', ['-o', '/dev/null', 'true'], { stdio: 'ignore' })
    child.on('error', () => resolve(false))
    child.on('exit', (code) => resolve(code === 0))
  })
}
