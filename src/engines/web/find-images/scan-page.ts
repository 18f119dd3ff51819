import { type Token, Tokenizer, TokenizerMode } from 'parse5'
import { type Attributes, attributeOf, toLine, toLineIfAny } from './attributes.ts'
import { findCssImages } from './css-images.ts'
import type { Sighting } from './found-image.ts'
import { isPictureLink } from './image-address.ts'
import { createOpenRanges, describeSightings, type Range, rangeOf } from './open-ranges.ts'
import { createMetaReader, findJsonLdImages, type JsonLdImage } from './read-meta.ts'
import { readPictures, readSource } from './read-pictures.ts'

export type PageScan = {
  title: string
  baseHref?: string
  sightings: Sighting[]
  /** Signs of a page that draws itself with scripts. */
  textLength: number
  scripts: number
  hasScriptRoot: boolean
}

/** Enough for a page of 10,000 pictures, each seen several times in many sizes; more is an attack on memory. */
const maxSightings = 60_000
const maxCandidates = 250_000
/** What one `<picture>` may offer. */
const maxOffered = 50

/** Elements whose content is text to the tokenizer, as a tree builder would have told it. */
const textModes = new Map<string, Tokenizer['state']>([
  ['title', TokenizerMode.RCDATA],
  ['textarea', TokenizerMode.RCDATA],
  ['style', TokenizerMode.RAWTEXT],
  ['xmp', TokenizerMode.RAWTEXT],
  ['iframe', TokenizerMode.RAWTEXT],
  ['noembed', TokenizerMode.RAWTEXT],
  ['noframes', TokenizerMode.RAWTEXT],
  ['script', TokenizerMode.SCRIPT_DATA],
  ['plaintext', TokenizerMode.PLAINTEXT],
])

const codeTags = new Set(['script', 'style', 'iframe', 'textarea', 'xmp', 'noembed', 'noframes'])
const scriptRootIds = new Set(['root', 'app', '__next', '__nuxt', '___gatsby', 'svelte', 'app-root'])

/** Everything that a page says about its pictures, in the order in which it says it. See [Note: Pages are read as a stream of tags]. */
export function scanPage(html: string): PageScan {
  const scan: PageScan = { title: '', sightings: [], textLength: 0, scripts: 0, hasScriptRoot: false }
  let heading = ''
  let firstHeading = ''
  let svgDepth = 0
  let isInNoscript = false
  /** The text of a `<style>` or JSON-LD element, while inside one. */
  let raw: { tagName: string; text: string } | undefined
  let isInCode = false

  const ranges = createOpenRanges(closeRange)
  const meta = createMetaReader(see)

  let candidates = 0
  const isFull = () => scan.sightings.length >= maxSightings || candidates > maxCandidates

  function see(sighting: Sighting) {
    if (isFull()) return
    candidates += sighting.candidates.length
    if (heading && sighting.source !== 'meta') sighting.heading = heading
    if (isInNoscript) sighting.isFallback = true
    scan.sightings.push(sighting)
    ranges.addSighting(sighting)
  }

  function closeRange(range: Range) {
    const text = toLine(range.text)
    if (range.kind === 'title') scan.title ||= text
    if (range.kind === 'caption') {
      const figure = ranges.innermost('figure')
      if (figure && text) figure.caption ??= text
    }
    if (range.kind === 'heading' && text) {
      heading = text
      firstHeading ||= text
      ranges.addHeading(text)
    }
    if (range.kind === 'picture' && range.sightings.length === 0 && range.candidates.length > 0) {
      see({ source: 'picture', candidates: range.candidates, alt: '' })
    }
    if (range.kind === 'link' && range.href) closePictureLink(range, range.href)
    if (range.kind === 'card') heading = range.headingAbove
    describeSightings(range)
  }

  /** A link to a picture file is the large version of the one picture inside it, or a picture of its own. */
  function closePictureLink(link: Range, href: string) {
    const shown = link.sightings.filter(({ isFallback }) => !isFallback)
    const [only] = shown.length > 0 ? shown : link.sightings
    if (only && shown.length <= 1) only.candidates.push({ address: href, origin: 'full' })
    else
      see({
        source: 'link',
        candidates: [{ address: href, origin: 'src' }],
        alt: '',
        linkText: toLineIfAny(link.text),
        title: toLineIfAny(link.title),
      })
  }

  function startElement(tagName: string, attributes: Attributes) {
    if (tagName === 'base') scan.baseHref ??= attributeOf(attributes, 'href')
    if (tagName === 'meta') return meta.readMeta(attributes)
    if (tagName === 'link') return meta.readLink(attributes)
    if (tagName === 'noscript') isInNoscript = true
    if (tagName === 'script') scan.scripts++
    if (codeTags.has(tagName)) isInCode = true
    if (tagName === 'style' || isJsonLd(tagName, attributes)) raw = { tagName, text: '' }
    if (isScriptRoot(tagName, attributes)) scan.hasScriptRoot = true
    if (isFull()) return
    const picture = ranges.innermost('picture')
    if (tagName === 'source' && picture && picture.candidates.length < maxOffered) {
      picture.candidates.push(...readSource(attributes))
    }
    // A `<picture>` has one `<img>`, which takes all that was offered.
    const offered = tagName === 'img' ? (picture?.candidates.splice(0) ?? []) : []
    for (const sighting of readPictures(tagName, attributes, offered)) see(sighting)
  }

  function enterRange(tagName: string, attributes: Attributes) {
    ranges.startTag(tagName)
    if (tagName === 'title')
      return svgDepth === 0 && !scan.title ? ranges.enter('title', tagName, { headingAbove: '' }) : undefined
    const kind = rangeOf(tagName, attributes)
    const href = kind === 'link' ? attributeOf(attributes, 'href') : undefined
    const facts = {
      href: href && isPictureLink(href) ? href : undefined,
      title: attributeOf(attributes, 'title'),
      headingAbove: heading,
    }
    if (kind) ranges.enter(kind, tagName, facts)
  }

  function endElement(tagName: string) {
    ranges.endTag(tagName)
    if (tagName === 'svg') svgDepth = Math.max(0, svgDepth - 1)
    if (tagName === 'noscript') isInNoscript = false
    if (codeTags.has(tagName)) isInCode = false
    if (raw?.tagName !== tagName) return
    const { text } = raw
    raw = undefined
    if (tagName === 'style') for (const candidates of findCssImages(text)) see({ source: 'css', candidates, alt: '' })
    else for (const image of findJsonLdImages(text)) see(toSighting(image))
  }

  function readText({ chars }: Token.CharacterToken) {
    if (raw) raw.text += chars
    if (isInCode) return
    if (!isInNoscript) scan.textLength += chars.trim().length
    ranges.addText(chars)
  }

  const tokenizer: Tokenizer = new Tokenizer(
    {},
    {
      onStartTag({ tagName, attrs, selfClosing }) {
        const isForeign = svgDepth > 0
        if (tagName === 'svg' && !selfClosing) svgDepth++
        // In a drawing, `/>` ends an element; in HTML it means nothing.
        if (!(isForeign && selfClosing)) {
          enterRange(tagName, attrs)
          const mode = textModes.get(tagName)
          if (mode !== undefined) tokenizer.state = mode
        }
        startElement(tagName, attrs)
        tokenizer.inForeignNode = svgDepth > 0
      },
      onEndTag({ tagName }) {
        endElement(tagName)
        tokenizer.inForeignNode = svgDepth > 0
      },
      onCharacter: readText,
      onWhitespaceCharacter: readText,
      onNullCharacter() {},
      onComment() {},
      onDoctype() {},
      onEof: () => ranges.closeAll(),
    },
  )
  tokenizer.write(html, true)
  scan.title ||= meta.ogTitle() || firstHeading
  return scan
}

function isJsonLd(tagName: string, attributes: Attributes): boolean {
  return tagName === 'script' && /^\s*application\/ld\+json/i.test(attributeOf(attributes, 'type') ?? '')
}

function isScriptRoot(tagName: string, attributes: Attributes): boolean {
  return tagName === 'app-root' || scriptRootIds.has(attributeOf(attributes, 'id') ?? '')
}

function toSighting({ address, alt, width, height }: JsonLdImage): Sighting {
  return { source: 'json-ld', candidates: [{ address, origin: 'src', width, height }], alt }
}
