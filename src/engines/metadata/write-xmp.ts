import { escapeHtml } from '#shared/escape.ts'
import type { PictureWords } from './picture-words.ts'
import { decodePacket, findRdf, maxXmpBytes, spaces, type Value } from './xmp.ts'

type Property = { space: keyof typeof spaces; name: string; list?: 'Alt' | 'Bag' | 'Seq'; values: Value[] }

/** The most important first, as the last ones are left out where a file has no room for all. */
function propertiesOf(words: PictureWords): Property[] {
  const inOneLanguage = (text: string | undefined) => (text ? [{ text, language: 'x-default' }] : [])
  const alts = Object.entries(words.altTexts ?? {}).map(([language, text]) => ({ text, language }))
  const plain = (text: string | undefined) => (text ? [{ text }] : [])
  const all: Property[] = [
    { space: 'dc', name: 'creator', list: 'Seq', values: plain(words.creator) },
    { space: 'dc', name: 'rights', list: 'Alt', values: inOneLanguage(words.rights) },
    { space: 'xmpRights', name: 'UsageTerms', list: 'Alt', values: inOneLanguage(words.rights) },
    { space: 'photoshop', name: 'Credit', values: plain(words.credit) },
    { space: 'dc', name: 'source', values: plain(words.source) },
    { space: 'dc', name: 'title', list: 'Alt', values: inOneLanguage(words.title) },
    {
      space: 'Iptc4xmpCore',
      name: 'AltTextAccessibility',
      list: 'Alt',
      // Programs that know no languages read the default.
      values: alts.length > 0 ? [{ text: alts[0]!.text, language: 'x-default' }, ...alts] : [],
    },
    { space: 'dc', name: 'description', list: 'Alt', values: inOneLanguage(words.description) },
    { space: 'dc', name: 'subject', list: 'Bag', values: (words.keywords ?? []).map((text) => ({ text })) },
  ]
  return all.filter(({ values }) => values.length > 0)
}

/**
 * A packet with these words. Other properties of the existing packet stay as they are written, unless there is no room
 * for them or they cannot be read.
 */
export function writeXmp(
  words: PictureWords,
  { existing, maxBytes }: { existing?: Uint8Array; maxBytes: number },
): Buffer {
  const properties = propertiesOf(words)
  const merged = existing && existing.length <= maxXmpBytes ? merge(decodePacket(existing), properties) : undefined
  if (merged && Buffer.byteLength(merged) <= maxBytes) return Buffer.from(merged)
  for (let count = properties.length; ; count--) {
    const packet = Buffer.from(wrap(describe(properties.slice(0, count), '')))
    if (packet.length <= maxBytes || count === 0) return packet
  }
}

function merge(packet: string, properties: Property[]): string | undefined {
  const rdf = findRdf(packet)
  if (!rdf || rdf.contentEnd === rdf.end) return undefined
  const isReplaced = ({ space, name }: { space: string; name: string }) =>
    properties.some((property) => spaces[property.space] === space && property.name === name)
  const replaced = rdf.children.flatMap(({ attributes, children }) => [
    ...attributes.filter(isReplaced),
    ...children.filter(isReplaced),
  ])
  const about = rdf.children[0]?.attributes.find(({ space, name }) => space === spaces.rdf && name === 'about')
  let kept = ''
  let at = 0
  for (const { start, end } of replaced.toSorted((one, other) => one.start - other.start)) {
    kept += packet.slice(at, start)
    at = end
  }
  kept += packet.slice(at, rdf.contentEnd)
  return `${kept}${describe(properties, about?.value ?? '')}${packet.slice(rdf.contentEnd)}`
}

function describe(properties: Property[], about: string) {
  const used = ['rdf', ...new Set(properties.map(({ space }) => space))] as (keyof typeof spaces)[]
  const declared = used.map((prefix) => ` xmlns:${prefix}="${spaces[prefix]}"`).join('')
  return `<rdf:Description rdf:about="${escapeXml(about)}"${declared}>${properties.map(element).join('')}</rdf:Description>`
}

function element({ space, name, list, values }: Property) {
  const items = values.map(({ text, language }) => {
    const attribute = language ? ` xml:lang="${escapeXml(language)}"` : ''
    return list ? `<rdf:li${attribute}>${escapeXml(text)}</rdf:li>` : escapeXml(text)
  })
  const content = list ? `<rdf:${list}>${items.join('')}</rdf:${list}>` : items.join('')
  return `<${space}:${name}>${content}</${space}:${name}>`
}

/** XML has no form for most control characters. */
const escapeXml = (text: string) => escapeHtml(text.toWellFormed().replace(/[^\P{Cc}\t\n]|[\uFFFE\uFFFF]/gu, ''))

const wrap = (description: string) =>
  `<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="${spaces.rdf}">${description}</rdf:RDF></x:xmpmeta><?xpacket end="w"?>`
