import { fetchResponse, splitAddress } from '#platform/client/call.ts'
import type { Address, Route } from '#platform/contract.ts'
import { urlOf } from '#platform/url-of.ts'
import { saveFile } from '#ui/save-file.ts'

/**
 * Lets the browser save an answer of any size to the disk. It does not say whether that worked; so the answer is begun
 * once to hear of a failure, and left at once.
 */
export async function downloadFile<R extends Route = never>(address: Address<R>) {
  const trial = new AbortController()
  await fetchResponse<R>(address, {}, { signal: trial.signal })
  trial.abort()
  saveFile(urlOf<Route>(splitAddress(address).path))
}
