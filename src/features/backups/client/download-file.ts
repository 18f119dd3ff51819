import { ApiError } from '#platform/client/call.ts'
import { saveFile } from '#ui/save-file.ts'

/**
 * Lets the browser save an answer of any size to the disk. It does not say whether that worked; so the answer is begun
 * once to hear of a failure, and left at once.
 */
export async function downloadFile(address: string) {
  const trial = new AbortController()
  const response = await fetch(address, { credentials: 'include', signal: trial.signal })
  if (!response.ok) throw new ApiError(response.status, (await response.text()) || response.statusText)
  trial.abort()
  saveFile(address)
}
