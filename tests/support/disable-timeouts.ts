import type { TestContext } from 'node:test'

/** What is given up after a few seconds is waited for: no machine is too slow for the test. */
export function disableTimeouts(context: TestContext) {
  context.mock.method(AbortSignal, 'timeout', () => new AbortController().signal)
}
