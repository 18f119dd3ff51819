import { write, writeSync } from 'node:fs'
import { stdout } from 'node:process'
import pino from 'pino'
import { lineWithoutSecrets } from './secrets.ts'

const maxPendingCharacters = 1_000_000
const retryMs = 100

/** Opens the log; `say` prints a plain line for people between the log's JSON lines. */
export function openLog(level: string) {
  const output = openOutput()
  return { log: pino({ level }, output), say: (line: string) => output.write(`${line}\n`) }
}

/**
 * When stdout cannot be written (a full disk, a pipe whose reader has ended or hangs), only log lines are lost. pino's own
 * destination would end the process, or keep it from exiting by retrying without end.
 */
function openOutput() {
  let pending = ''
  let isWriting = false
  const flush = () => {
    if (isWriting || pending === '') return
    isWriting = true
    const bytes = Buffer.from(pending)
    pending = ''
    send(bytes)
  }
  const send = (bytes: Buffer) => {
    write(stdout.fd, bytes, (error, written) => {
      if (error?.code === 'EAGAIN') return void setTimeout(send, retryMs, bytes).unref()
      if (!error && written < bytes.length) return send(bytes.subarray(written))
      isWriting = false
      flush()
    })
  }
  process.on('exit', () => {
    try {
      writeSync(stdout.fd, pending)
    } catch {
      // The remaining lines are lost, as described above.
    }
  })
  return {
    write(line: string) {
      const text = lineWithoutSecrets(line)
      if (pending.length + text.length > maxPendingCharacters) return
      pending += text
      flush()
    },
  }
}
