import { cleanText, maxKeywords, type PictureWords, withoutEmpty } from './picture-words.ts'
import { readXml, type XmlElement } from './xml.ts'

/** No program writes more words; bytes beyond it are not read. */
export const maxXmpBytes = 1024 * 1024

export const spaces = {
  rdf: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
  dc: 'http://purl.org/dc/elements/1.1/',
  photoshop: 'http://ns.adobe.com/photoshop/1.0/',
  xmpRights: 'http://ns.adobe.com/xap/1.0/rights/',
  Iptc4xmpCore: 'http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/',
} as const

/** The words of a packet; none if it is damaged or hostile. */
export function readXmp(packet: Uint8Array | undefined): PictureWords {
  const rdf = packet && packet.length <= maxXmpBytes ? findRdf(decodePacket(packet)) : undefined
  if (!rdf) return {}
  const of = (space: keyof typeof spaces, name: string) => findValues(rdf, spaces[space], name)
  const text = (space: keyof typeof spaces, name: string) => firstOf(of(space, name))
  const description = defaultOf(of('dc', 'description'))
  return withoutEmpty({
    title: text('dc', 'title') ?? text('photoshop', 'Headline'),
    description: description && cleanText(description, { hasLines: true }),
    keywords: of('dc', 'subject')
      .flatMap(({ text }) => cleanText(text) ?? [])
      .slice(0, maxKeywords),
    creator: joined(of('dc', 'creator')),
    credit: text('photoshop', 'Credit'),
    rights: text('dc', 'rights') ?? text('xmpRights', 'UsageTerms') ?? text('xmpRights', 'WebStatement'),
    source: text('dc', 'source') ?? text('photoshop', 'Source'),
    altTexts: byLanguage(of('Iptc4xmpCore', 'AltTextAccessibility')),
  })
}

/** Programs end a packet with zeros or spaces. */
export function decodePacket(packet: Uint8Array) {
  const text = new TextDecoder().decode(packet)
  const end = text.indexOf('\0')
  return end < 0 ? text : text.slice(0, end)
}

export function findRdf(packet: string) {
  const root = readXml(packet)
  if (!root) return undefined
  return [root, ...root.children].find(({ space, name }) => space === spaces.rdf && name === 'RDF')
}

export type Value = { text: string; language?: string }

/** A property is an attribute, a text, or the items of a list. */
function findValues(rdf: XmlElement, space: string, name: string): Value[] {
  for (const description of rdf.children) {
    const attribute = description.attributes.find((one) => one.space === space && one.name === name)
    if (attribute) return [{ text: attribute.value }]
    const element = description.children.find((one) => one.space === space && one.name === name)
    if (!element) continue
    const [list] = element.children.filter(({ space }) => space === spaces.rdf)
    if (!list) return [{ text: element.text }]
    return list.children
      .filter((item) => item.space === spaces.rdf && item.name === 'li')
      .map((item) => ({ text: item.text, language: item.attributes.find(({ name }) => name === 'lang')?.value }))
  }
  return []
}

/** Of a text in several languages, the one that stands for all. */
const defaultOf = (values: Value[]) => (values.find(({ language }) => language === 'x-default') ?? values[0])?.text

function firstOf(values: Value[]) {
  const text = defaultOf(values)
  return text === undefined ? undefined : cleanText(text)
}

const joined = (values: Value[]) => cleanText(values.flatMap(({ text }) => cleanText(text) ?? []).join(', '))

function byLanguage(values: Value[]): Record<string, string> {
  const texts = values.flatMap(({ text, language = 'x-default' }): [string, string][] => {
    const cleaned = cleanText(text)
    return cleaned && /^[a-z][a-z\d-]{0,34}$/i.test(language) ? [[language, cleaned]] : []
  })
  return Object.fromEntries(texts)
}
