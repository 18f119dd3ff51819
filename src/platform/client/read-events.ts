import type { CallInput, EventOf, Route } from '#platform/contract.ts'
import { type CallOptions, fetchResponse } from './call.ts'

/** Calls a streaming route and yields its events in order; an invalid event is only logged. */
export async function* readEvents<
  R extends Route & { events: { safeParse(value: unknown): { success: boolean; data?: unknown } } },
>(
  route: R,
  input: CallInput<R> & { query?: Record<string, unknown>; body?: unknown },
  options?: CallOptions,
): AsyncGenerator<EventOf<R>> {
  const response = await fetchResponse<R>(`${route.method} ${route.path}`, input, options)
  for await (const block of splitBlocks(response.body!)) {
    const data = dataOf(block)
    // A comment only keeps the connection open.
    if (data === '') continue
    const parsed = route.events.safeParse(parseOrUndefined(data))
    if (parsed.success) yield parsed.data as EventOf<R>
    // biome-ignore lint/suspicious/noConsole: the stream continues, and there is no other place to report it
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
    // Closes the connection when the caller stops reading; fails when the connection is already broken.
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

function parseOrUndefined(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    // No event schema accepts undefined, so the caller logs it.
    return undefined
  }
}
