import { unpackBody } from './unpack-body.ts'
import type { Answer } from './visit.ts'
import { tooMuch } from './web-errors.ts'

/** A script, a style sheet or some data that a page asks for while it draws itself; `status` is for the page to judge. */
export type FetchedPart = { status: number; contentType: string; bytes: Buffer }

export async function readPart(answer: Answer, maxBytes: number): Promise<FetchedPart> {
  const bytes = await collectBytes(answer, maxBytes)
  return { status: answer.status, contentType: answer.header('content-type'), bytes }
}

/** Counts what comes out of the unpackers, so a small bomb is stopped as early as a large page. */
export async function collectBytes(
  answer: Answer,
  maxBytes: number,
  count: (bytes: number) => void = () => {},
): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of unpackBody(answer.body, answer.header('content-encoding'))) {
    bytes += chunk.length
    count(chunk.length)
    if (bytes > maxBytes) throw tooMuch('page', maxBytes)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, bytes)
}
