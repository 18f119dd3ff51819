import { write, writeSync } from 'node:fs'
import { stdout } from 'node:process'
import pino from 'pino'

const mostWaiting = 1_000_000
const againMs = 100

/** The log, and `say` for what a person reads between its lines. */
export function openLog(level: string) {
  const output = openOutput()
  return { log: pino({ level }, output), say: (line: string) => output.write(`${line}\n`) }
}

/**
 * Where stdout cannot be written (a file on a full disk, a pipe whose reader has gone or stands still) lines are lost, and
 * nothing else. pino's own way out ends the process then, or keeps it from ending: it tries for ever to write what is left.
 */
function openOutput() {
  let waiting = ''
  let isWriting = false
  const flush = () => {
    if (isWriting || waiting === '') return
    isWriting = true
    const bytes = Buffer.from(waiting)
    waiting = ''
    send(bytes)
  }
  const send = (bytes: Buffer) => {
    write(stdout.fd, bytes, (error, written) => {
      if (error?.code === 'EAGAIN') return void setTimeout(send, againMs, bytes).unref()
      if (!error && written < bytes.length) return send(bytes.subarray(written))
      isWriting = false
      flush()
    })
  }
  process.on('exit', () => {
    try {
      writeSync(stdout.fd, waiting)
    } catch {
      // Lost, as above.
    }
  })
  return {
    write(text: string) {
      if (waiting.length + text.length > mostWaiting) return
      waiting += text
      flush()
    },
  }
}
