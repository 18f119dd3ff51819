import type { TestContext } from 'node:test'

/** Disables `AbortSignal.timeout`, so that the test also passes on a slow machine. */
export function disableTimeouts(context: TestContext) {
  context.mock.method(AbortSignal, 'timeout', () => new AbortController().signal)
}
