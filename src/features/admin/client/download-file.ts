import { fetchResponse, splitAddress } from '#platform/client/call.ts'
import type { Address, Route } from '#platform/contract.ts'
import { urlOf } from '#platform/url-of.ts'
import { saveFile } from '#ui/save-file.ts'

/**
 * Lets the browser save a response of any size to the disk. A browser does not report failures to the page, so the
 * request is first made with fetch and aborted after its status.
 */
export async function downloadFile<R extends Route = never>(address: Address<R>) {
  const trial = new AbortController()
  await fetchResponse<R>(address, {}, { signal: trial.signal })
  trial.abort()
  saveFile(urlOf<Route>(splitAddress(address).path))
}
