import { fileNameWords } from '#shared/name-words.ts'
import { defaultNamePattern, nameFrom, parsePattern, uniqueWebNames } from '#shared/web-names.ts'

/** Room for it is left in the name. */
const longestExtension = '.webp'

type Named = { name: string; address: string }

/**
 * The web names of images in their order, without extensions: the type of a file is known once it has arrived. Without
 * `website` it is that of the page, or of the image itself.
 */
export function webNamesOf(
  images: Named[],
  { pattern, pageUrl, website }: { pattern: string; pageUrl?: string | null; website?: string },
): string[] {
  const parsed = parsePattern(pattern || defaultNamePattern)
  const date = new Date().toISOString().slice(0, 10)
  const freeName = uniqueWebNames()
  return images.map(({ name, address }, index) => {
    const subject = fileNameWords(name).join(' ') || name
    const facts = {
      website: website ?? hostName(pageUrl ?? address),
      subject,
      date,
      n: index + 1,
      count: images.length,
    }
    return freeName(nameFrom(parsed, facts, `image${longestExtension}`)).slice(0, -longestExtension.length)
  })
}

/** "https://www.northwind.example/a.jpg" is at "northwind". */
function hostName(address: string) {
  const host = URL.parse(address)?.hostname ?? ''
  return /^[\d.[\]:]*$/.test(host)
    ? ''
    : (host
        .replace(/^www\./, '')
        .split('.')
        .at(-2) ?? host)
}
