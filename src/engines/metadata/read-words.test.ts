import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import sharp from 'sharp'
import { readIim } from './iim.ts'
import { readWords } from './read-words.ts'
import { maxXmpBytes, readXmp } from './xmp.ts'

/** Written by ExifTool 12.57 and, as it writes no WebP, by webpmux 1.2.4. */
const wordsOf = async (name: string) =>
  readWords(await sharp(await readFile(new URL(`./pictures/${name}`, import.meta.url))).metadata())

test('XMP that ExifTool wrote into a JPEG is read, with alt texts in their languages', async () => {
  assert.deepEqual(await wordsOf('exiftool-xmp.jpg'), {
    title: 'Evening at the pier',
    description: 'A wooden pier\nat dusk',
    keywords: ['Pier', 'Öresund'],
    creator: 'Ann Example, Bob Example',
    credit: 'Example Press',
    rights: '© 2024 Ann Example',
    source: 'https://example.com/pier',
    altTexts: { 'x-default': 'A pier at dusk', en: 'A pier at dusk', 'de-AT': 'Ein Steg am Abend' },
  })
})

test('IPTC records that ExifTool wrote are read, in UTF-8 and in a western encoding', async () => {
  assert.deepEqual(await wordsOf('exiftool-iptc.jpg'), {
    title: 'Été au quai',
    description: 'Ein Steg',
    keywords: ['Pier', 'Öresund'],
    creator: 'Ann Example',
    credit: 'Example Press',
    rights: '© Ann',
    source: 'https://example.com/pier',
  })
  assert.deepEqual(await wordsOf('exiftool-iptc-latin.jpg'), { title: 'Été au quai' })
})

test('XMP of a PNG and of a WebP is read, also if it is compressed', async () => {
  const words = { title: 'Evening at the pier', altTexts: { 'x-default': 'A pier at dusk' } }
  assert.deepEqual(await wordsOf('exiftool-xmp.png'), { ...words, keywords: ['Pier'] })
  assert.deepEqual(await wordsOf('exiftool-compressed-xmp.png'), words)
  assert.deepEqual(await wordsOf('webpmux-xmp.webp'), { ...words, keywords: ['Pier'] })
})

const rdf = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'
const packet = (content: string, before = '') =>
  Buffer.from(
    `${before}<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF ${rdf}><rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/">${content}</rdf:Description></rdf:RDF></x:xmpmeta>`,
  )
const titled = (title: string) => packet(`<dc:title>${title}</dc:title>`)

test('a property may be an attribute, have another prefix, or be written with entities and CDATA', () => {
  const short = `<RDF xmlns="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><Description xmlns:p="http://ns.adobe.com/photoshop/1.0/" p:Credit='A &amp; B'/></RDF>`
  assert.deepEqual(readXmp(Buffer.from(short)), { credit: 'A & B' })
  assert.deepEqual(readXmp(titled('&lt;b&gt; &#8364;&#x20AC; <![CDATA[& <i>]]>')), { title: '<b> €€ & <i>' })
  assert.deepEqual(readXmp(Buffer.concat([titled('Pier'), Buffer.alloc(2000)])), { title: 'Pier' }, 'padded with zeros')
})

test('characters that hide or turn text are removed, and joined emoji stay', () => {
  assert.deepEqual(readXmp(titled('a\u202eb\u0007c\u0000')), {}, 'a zero ends the packet')
  assert.deepEqual(readXmp(titled('a\u202eb\u0007c&#0;d&#xD800;')), { title: 'a b c d\ufffd' })
  assert.deepEqual(readXmp(titled('👨‍👩‍👧 &#x110000;')), { title: '👨‍👩‍👧 &#x110000;' })
})

test('a DOCTYPE is refused, so that no entity can grow', () => {
  const bomb = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>'
  assert.deepEqual(readXmp(packet('<dc:title>&b;</dc:title>', bomb)), {})
  assert.deepEqual(readXmp(titled('&b;&b;')), { title: '&b;&b;' })
})

test('hostile and damaged XMP is ignored within a second', () => {
  const hostile: [name: string, packet: Buffer][] = [
    ['50 MB', Buffer.concat([titled('Pier'), Buffer.alloc(50 * 1024 * 1024, ' ')])],
    ['deep', packet('<a>'.repeat(50_000) + '</a>'.repeat(50_000))],
    ['deep without ends', packet('<a>'.repeat(300_000))],
    ['many elements', packet('<a/>'.repeat(200_000))],
    ['many attributes', packet(`<a ${Array.from({ length: 20_000 }, (_, index) => `a${index}=""`).join(' ')}/>`)],
    ['many namespaces', packet(Array.from({ length: 19_000 }, (_, index) => `<a xmlns:n${index}="u"/>`).join(''))],
    ['unended comment', Buffer.from('<!--'.repeat(250_000))],
    ['unended value', Buffer.from('<a b="'.repeat(150_000))],
    ['only marks', Buffer.from('<'.repeat(maxXmpBytes))],
    ['only spaces in a tag', Buffer.from(`<a${' '.repeat(maxXmpBytes - 2)}`)],
    ['entities', titled('&'.repeat(900_000))],
    ['wrong ends', packet('<dc:title>Pier</dc:creator>')],
    ['no XML', Buffer.from([0xff, 0xfe, 0x00, 0xd8])],
    ['empty', Buffer.alloc(0)],
  ]
  for (const [name, bytes] of hostile) {
    const start = performance.now()
    const { title, ...others } = readXmp(bytes)
    assert.ok(performance.now() - start < 1000, name)
    assert.deepEqual(others, {}, name)
    assert.ok((title ?? '').length <= 10_000, name)
    if (name !== 'entities') assert.equal(title, undefined, name)
  }
})

test('damaged IPTC records are ignored at every length', async () => {
  const { iptc } = await sharp(await readFile(new URL('./pictures/exiftool-iptc.jpg', import.meta.url))).metadata()
  for (let length = 0; length < iptc!.length; length++) readIim(iptc!.subarray(0, length))
  for (let at = 0; at < iptc!.length; at++) {
    const damaged = Buffer.from(iptc!)
    damaged[at] = 0xff
    const { title = '' } = readIim(damaged)
    assert.ok(title.isWellFormed())
  }
  assert.deepEqual(readIim(Buffer.alloc(300_000, '8BIM')), {})
})
