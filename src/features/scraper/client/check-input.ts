import { noAddress, noneSelected, noPageUrl, notOnWeb } from '../contract.ts'
import { toWebAddress, toWebAddresses } from '../web-address.ts'

/** What is wrong with the input, as shown in the toast. */
export type InputError = { title: string; description: string }

export function checkPageUrl(text: string): InputError | null {
  if (text.trim() === '') return { title: 'URL Required', description: noPageUrl }
  if (toWebAddress(text)) return null
  return { title: 'Invalid URL', description: notOnWeb }
}

export function checkSelection(count: number): InputError | null {
  if (count > 0) return null
  return { title: 'No Images Selected', description: noneSelected }
}

/** One valid entry is enough; invalid ones are ignored. */
export function checkUrls(texts: readonly string[]): InputError | null {
  if (toWebAddresses(texts).length > 0) return null
  return { title: 'No Valid URLs', description: noAddress }
}
