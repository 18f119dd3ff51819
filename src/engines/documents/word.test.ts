import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DocumentItem } from './document.ts'
import { writeWord } from './word.ts'

const facts = { title: 'Media & more', createdAt: '2026-11-15', count: 2 }
const item: DocumentItem = {
  name: 'Łódź <"quoted"> & \u0001海.jpg',
  thumbnail: { data: Buffer.from('a picture'), width: 400, height: 300 },
  size: '3 MB',
  dimensions: '400 × 300',
  description: 'First line\nsecond line',
  aiDescription: '',
  tags: ['boat', 'sea'],
  words: { title: null, altTexts: {}, creator: null, credit: null, licence: null, source: null },
  thumbnailUrl: '',
  publicUrl: 'https://photos.example/a?b=1&c="2"',
}
const plain: DocumentItem = { ...item, name: 'plain.jpg', thumbnail: null, publicUrl: '' }

async function partsOf(items: DocumentItem[]) {
  async function* given() {
    yield* items
  }
  const parts = new Map<string, string>()
  for await (const { name, data } of writeWord(facts, given())) parts.set(name, data.toString())
  return parts
}

/** Asserts that every element is closed in order and that no other angle bracket occurs. */
function assertWellFormed(name: string, xml: string) {
  const open: string[] = []
  const between = xml
    .replace(/^<\?xml [^>]*\?>/, '')
    .replace(/<(\/?)([\w:]+)((?: [\w:]+="[^"<>]*")*)(\/?)>/g, (_, isEnd, tag, _attributes, isEmpty) => {
      if (isEnd) assert.equal(open.pop(), tag, name)
      else if (!isEmpty) open.push(tag)
      return ' '
    })
  assert.deepEqual(open, [], name)
  assert.doesNotMatch(between, /[<>]|&(?!(amp|lt|gt|quot|#39);)|[^\P{Cc}\n]/u, name)
}

test('a Word document holds names, facts, tags, texts and links, with special characters escaped', async () => {
  const parts = await partsOf([item, plain])
  assert.equal([...parts.keys()][0], '[Content_Types].xml')
  for (const [name, text] of parts) if (!name.endsWith('.jpg')) assertWellFormed(name, text)
  const texts = [...parts.get('word/document.xml')!.matchAll(/<w:t [^>]*>([^<]*)</g)].map(([, text]) => text)
  const shared = ['3 MB · 400 × 300', 'boat, sea', 'First line second line']
  assert.deepEqual(texts, [
    ...['Media &amp; more', '2 items, 2026-11-15', 'Łódź &lt;&quot;quoted&quot;&gt; &amp;  海.jpg', ...shared],
    ...['https://photos.example/a?b=1&amp;c=&quot;2&quot;', 'plain.jpg', ...shared],
  ])
})

test('every link and picture of a Word document has its part', async () => {
  const parts = await partsOf([item, plain, item])
  const entries = [...parts.get('word/_rels/document.xml.rels')!.matchAll(/Id="(\w+)"[^>]*Target="([^"]*)"/g)]
  const targets = new Map(entries.map(([, id, target]) => [id!, target!]))
  const used = [...parts.get('word/document.xml')!.matchAll(/r:(?:id|embed)="(\w+)"/g)].map(([, id]) => id!)
  assert.deepEqual(used, ['picture1', 'link1', 'picture2', 'link2'])
  assert.deepEqual([...targets.keys()].sort(), [...used, 'styles'].sort())
  for (const name of ['styles', 'picture1', 'picture2']) assert.ok(parts.has(`word/${targets.get(name)}`), name)
  assert.equal(parts.get('word/media/2.jpg'), 'a picture')
})

test('a tall screenshot fits on its page in its own proportions', async () => {
  const long = { ...item, thumbnail: { data: Buffer.from('a picture'), width: 32, height: 320 } }
  const text = (await partsOf([item, long])).get('word/document.xml')!
  const sizes = [...text.matchAll(/<wp:extent cx="(\d+)" cy="(\d+)"/g)].map(([, width, height]) => [
    Number(width) / 9525,
    Number(height) / 9525,
  ])
  assert.deepEqual(sizes, [
    [220, 165],
    [66, 660],
  ])
})

test('a Word document yields each picture before it reads the next item', async () => {
  let asked = 0
  async function* given() {
    for (; asked < 3; ) {
      asked++
      yield item
    }
  }
  for await (const { name } of writeWord(facts, given()))
    if (name.startsWith('word/media/')) assert.equal(name, `word/media/${asked}.jpg`)
  assert.equal(asked, 3)
})
