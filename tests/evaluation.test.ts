import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { isFrozen, Labels } from '#engines/ai/evaluation/labels.ts'
import { Queries } from '#engines/ai/evaluation/queries.ts'
import { tagKey } from '#engines/ai/tags.ts'
import { root } from './support/source-files.ts'

const read = (name: string) => readFileSync(join(root, 'evaluation', name), 'utf8')
const pictures = readdirSync(join(root, 'evaluation/pictures')).toSorted()
const labels = Labels.parse(JSON.parse(read('labels.json')))

test('each picture of the evaluation has labels and a source with a licence, and nothing else has', () => {
  const sources = [...read('SOURCES.md').matchAll(/^\| (\S+\.jpg) \| [^|]+ \| [^|]+ \| [^|]+ \|$/gm)].map(
    ([, file]) => file!,
  )
  assert.deepEqual(Object.keys(labels).toSorted(), pictures)
  assert.deepEqual(sources.toSorted(), pictures)
})

test('about half of the pictures of the evaluation are frozen', () => {
  const share = pictures.filter(isFrozen).length / pictures.length
  assert.ok(share > 0.4 && share < 0.6, `${share} are frozen`)
})

test('the pictures of the evaluation keep a clone small', () => {
  const bytes = pictures.reduce((sum, file) => sum + statSync(join(root, 'evaluation/pictures', file)).size, 0)
  assert.ok(bytes < 12_000_000, `${bytes} bytes`)
})

test('each label of the evaluation is a word that a tag may be', () => {
  for (const [file, { main, must, may }] of Object.entries(labels)) {
    for (const word of [...main, ...must.flat(), ...may]) assert.ok(tagKey(word), `${file}: "${word}"`)
  }
})

test('the searches of the evaluation name its pictures, and some have no right answer', () => {
  const queries = Queries.parse(JSON.parse(read('queries.json')))
  for (const [query, right] of Object.entries(queries)) {
    assert.deepEqual(
      right.filter((file) => !pictures.includes(file)),
      [],
      query,
    )
  }
  const answerable = Object.values(queries).filter((right) => right.length > 0)
  assert.deepEqual([answerable.length, Object.keys(queries).length - answerable.length], [100, 60])
})
