import type { EventOf, Route, Sent } from '#platform/contract.ts'
import { type CallOptions, fetchAnswer } from './call.ts'

/** Calls a streaming route and yields its events in order; a block that cannot be read is only logged. */
export async function* readEvents<
  R extends Route & { events: { safeParse(value: unknown): { success: boolean; data?: unknown } } },
>(
  route: R,
  input: Sent<R> & { query?: Record<string, unknown>; body?: unknown },
  options?: CallOptions,
): AsyncGenerator<EventOf<R>> {
  const response = await fetchAnswer<R>(`${route.method} ${route.path}`, input, options)
  for await (const block of splitBlocks(response.body!)) {
    const data = dataOf(block)
    // A comment only keeps the line open.
    if (data === '') continue
    const parsed = route.events.safeParse(parseOrNothing(data))
    if (parsed.success) yield parsed.data as EventOf<R>
    // biome-ignore lint/suspicious/noConsole: the stream goes on, and nobody else learns of it
    else console.warn('An event could not be read:', data)
  }
}

async function* splitBlocks(stream: ReadableStream<Uint8Array>) {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  let pending = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const blocks = (pending + decoder.decode(value, { stream: true })).split('\n\n')
      pending = blocks.pop() ?? ''
      yield* blocks
    }
  } finally {
    // Whoever stops listening hangs up, or the server would go on speaking to nobody; a broken line cannot be closed.
    await reader.cancel().catch(() => {})
  }
}

function dataOf(block: string) {
  return block
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => line.slice('data: '.length))
    .join('\n')
}

function parseOrNothing(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    // No event has this shape, so it is told as what it is.
    return undefined
  }
}
