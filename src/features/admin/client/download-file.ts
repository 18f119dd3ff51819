import { addressOf, fetchAnswer } from '#platform/client/call.ts'
import type { Route } from '#platform/contract.ts'
import { saveFile } from '#ui/save-file.ts'

/**
 * Lets the browser save an answer of any size to the disk. It does not say whether that worked; so the answer is begun
 * once to hear of a failure, and left at once.
 */
export async function downloadFile(route: Route) {
  const trial = new AbortController()
  await fetchAnswer(route, {}, { signal: trial.signal })
  trial.abort()
  saveFile(addressOf(route))
}
