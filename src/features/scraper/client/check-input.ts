import { noAddress, noneSelected, noPageUrl, notOnWeb } from '../contract.ts'
import { toWebAddress, toWebAddresses } from '../web-address.ts'

/** What is wrong with what was typed, as the notice says it. */
export type Complaint = { title: string; description: string }

export function checkPageUrl(text: string): Complaint | null {
  if (text.trim() === '') return { title: 'URL Required', description: noPageUrl }
  if (toWebAddress(text)) return null
  return { title: 'Invalid URL', description: notOnWeb }
}

export function checkSelection(count: number): Complaint | null {
  if (count > 0) return null
  return { title: 'No Images Selected', description: noneSelected }
}

/** One valid entry is enough: the others are passed over. */
export function checkUrls(texts: readonly string[]): Complaint | null {
  if (toWebAddresses(texts).length > 0) return null
  return { title: 'No Valid URLs', description: noAddress }
}
