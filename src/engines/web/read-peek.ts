import { unpackBody } from './unpack-body.ts'
import type { Answer } from './visit.ts'
import { badStatus } from './web-errors.ts'

export type Peeked = { bytes: Buffer; size?: number }

export async function peekAnswer(answer: Answer, wantedBytes: number): Promise<Peeked> {
  if (answer.status !== 200 && answer.status !== 206) throw badStatus(answer.status)
  return { bytes: await readStart(answer, wantedBytes), size: sizeOf(answer) }
}

async function readStart(answer: Answer, wantedBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of unpackBody(answer.body, answer.header('content-encoding'))) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= wantedBytes) break
  }
  return Buffer.concat(chunks).subarray(0, wantedBytes)
}

function sizeOf(answer: Answer): number | undefined {
  const size =
    answer.status === 206
      ? /^bytes\s+\d+-\d+\/(\d+)$/i.exec(answer.header('content-range'))?.[1]
      : answer.header('content-encoding') === '' && /^\d+$/.exec(answer.header('content-length'))?.[0]
  return size ? Number(size) : undefined
}
