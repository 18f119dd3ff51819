import { maxUrlLength } from '#shared/max-url-length.ts'

/** The normalized address, or null when it is not an http or https one. */
export function toWebAddress(text: string): string | null {
  const typed = text.trim()
  const url = typed.length <= maxUrlLength ? URL.parse(typed) : null
  if (!url || !/^https?:$/.test(url.protocol) || !url.hostname) return null
  url.hash = ''
  return url.href
}

/** The normalized addresses without blanks, invalid ones and duplicates. */
export function toWebAddresses(texts: readonly string[]): string[] {
  const addresses = texts.map(toWebAddress).filter((address) => address !== null)
  return [...new Set(addresses)]
}
