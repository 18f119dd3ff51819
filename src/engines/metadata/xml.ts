import { unescapeXml } from '#shared/escape.ts'

/**
 * A small reader of namespaced XML for XMP packets, which may be hostile: it does one pass, resolves no entities except
 * the predefined ones, and refuses a DOCTYPE and anything beyond its limits.
 */
export type XmlElement = {
  /** The namespace, or an empty text. */
  space: string
  name: string
  attributes: XmlAttribute[]
  children: XmlElement[]
  /** The direct text, unescaped. */
  text: string
  /** The offsets of the whole element and of its content. */
  start: number
  end: number
  contentStart: number
  contentEnd: number
}
type XmlAttribute = { space: string; name: string; value: string; start: number; end: number }

const maxDepth = 32
const maxElements = 20_000
const maxAttributes = 500
/** Each element has a list of those that hold for it. */
const maxDeclarations = 500

type Namespaces = Map<string, string>
type Open = { element: XmlElement; tag: string; namespaces: Namespaces; text: string[] }

/** The outermost element, or undefined if the text is not well-formed or exceeds a limit. */
export function readXml(source: string): XmlElement | undefined {
  const open: Open[] = []
  let elements = 0
  let declarations = 0
  for (let at = 0; at < source.length; ) {
    const next = source.indexOf('<', at)
    const textEnd = next < 0 ? source.length : next
    open.at(-1)?.text.push(unescapeXml(source.slice(at, textEnd)))
    if (next < 0) break
    if (source.startsWith('<!--', next)) at = endOf(source, '-->', next + 4)
    else if (source.startsWith('<?', next)) at = endOf(source, '?>', next + 2)
    else if (source.startsWith('<![CDATA[', next)) {
      at = endOf(source, ']]>', next + 9)
      open.at(-1)?.text.push(source.slice(next + 9, at - 3))
    } else if (source.startsWith('<!', next)) return undefined
    else if (source.startsWith('</', next)) {
      at = endOf(source, '>', next + 2)
      const last = open.pop()
      if (!last || at < 0 || source.slice(next + 2, at - 1).trim() !== last.tag) return undefined
      Object.assign(last.element, { text: last.text.join(''), contentEnd: next, end: at })
      if (open.length === 0) return last.element
    } else {
      const opened = openTag(source, next, open.at(-1)?.namespaces ?? predefined)
      if (!opened || ++elements > maxElements || open.length >= maxDepth) return undefined
      const { element, tag, namespaces, isEmpty } = opened
      declarations += opened.declarations
      if (declarations > maxDeclarations) return undefined
      open.at(-1)?.element.children.push(element)
      at = element.contentStart
      if (!isEmpty) open.push({ element, tag, namespaces, text: [] })
      else if (open.length === 0) return element
    }
    if (at < 0) return undefined
  }
  return undefined
}

const predefined: Namespaces = new Map([['xml', 'http://www.w3.org/XML/1998/namespace']])

function endOf(source: string, mark: string, from: number) {
  const found = source.indexOf(mark, from)
  return found < 0 ? -1 : found + mark.length
}

const isSpace = (char: string | undefined) => char === ' ' || char === '\n' || char === '\r' || char === '\t'
const isNameEnd = (char: string | undefined) => char === undefined || isSpace(char) || '/>=<"\''.includes(char)

function openTag(source: string, start: number, outer: Namespaces) {
  let at = start + 1
  while (!isNameEnd(source[at])) at++
  const tag = source.slice(start + 1, at)
  if (!tag) return undefined
  const raw: { name: string; value: string; start: number; end: number }[] = []
  for (;;) {
    const before = at
    while (isSpace(source[at])) at++
    if (source[at] === '>' || (source[at] === '/' && source[at + 1] === '>')) break
    const nameStart = at
    while (!isNameEnd(source[at])) at++
    const name = source.slice(nameStart, at)
    while (isSpace(source[at])) at++
    if (!name || source[at] !== '=') return undefined
    at++
    while (isSpace(source[at])) at++
    const quote = source[at]
    if (quote !== '"' && quote !== "'") return undefined
    const valueEnd = source.indexOf(quote, at + 1)
    if (valueEnd < 0 || raw.length >= maxAttributes) return undefined
    raw.push({ name, value: source.slice(at + 1, valueEnd), start: before, end: valueEnd + 1 })
    at = valueEnd + 1
  }
  const isEmpty = source[at] === '/'
  const end = at + (isEmpty ? 2 : 1)
  const namespaces = declare(raw, outer)
  const attributes = raw
    .filter(({ name }) => !isDeclaration(name))
    .map(({ value, ...given }) => ({
      ...given,
      ...resolve(given.name, namespaces, false),
      value: unescapeXml(value),
    }))
  const { space, name } = resolve(tag, namespaces, true)
  const offsets = { start, end, contentStart: end, contentEnd: end }
  const element: XmlElement = { space, name, attributes, children: [], text: '', ...offsets }
  return { element, tag, namespaces, isEmpty, declarations: raw.length - attributes.length }
}

const isDeclaration = (name: string) => name === 'xmlns' || name.startsWith('xmlns:')

function declare(attributes: { name: string; value: string }[], outer: Namespaces): Namespaces {
  const declared = attributes.filter(({ name }) => isDeclaration(name))
  if (declared.length === 0) return outer
  return new Map([...outer, ...declared.map(({ name, value }) => [name.slice(6), unescapeXml(value)] as const)])
}

/** The default namespace holds for elements only. */
function resolve(qualified: string, namespaces: Namespaces, isElement: boolean) {
  const colon = qualified.indexOf(':')
  const prefix = colon < 0 ? '' : qualified.slice(0, colon)
  const space = colon < 0 && !isElement ? '' : (namespaces.get(prefix) ?? '')
  return { space, name: qualified.slice(colon + 1) }
}
