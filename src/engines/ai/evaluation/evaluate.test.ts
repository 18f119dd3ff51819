import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AiProvider, AiTag } from '../provider.ts'
import { evaluate, formatTable, Labels } from './evaluate.ts'

const answers: Record<string, string[]> = { 'a.jpg': ['cat', 'sofa', 'animal'], 'b.jpg': ['dog'] }

const provider: AiProvider = {
  name: 'fake',
  model: 'fake',
  version: '1',
  isPaid: false,
  health: async () => ({ ok: true, message: 'fine' }),
  async analyze({ frames }) {
    const found = answers[frames[0]!]
    if (!found) throw new Error('The image could not be read.')
    const tags = found.map((name): AiTag => ({ name, score: 1, source: 'model' }))
    return {
      title: '',
      description: '',
      tags,
      text: '',
      embedding: null,
      provider: 'fake',
      model: 'fake',
      version: '1',
    }
  },
  suggestName: async () => 'x',
  close: async () => {},
}

test('precision counts what was given, recall what was expected, a failure what was missed', async () => {
  const labels = Labels.parse({
    'a.jpg': { must: ['Cats'], may: ['animal'] },
    'b.jpg': ['dog', 'beach'],
    'c.jpg': ['bird'],
  })
  const evaluation = await evaluate({ provider, labels, pathOf: (file) => file })
  assert.equal(evaluation.precision, 3 / 4)
  assert.equal(evaluation.recall, 2 / 4)
  const table = formatTable(evaluation)
  assert.match(table, /a\.jpg +cat, animal +sofa +- /)
  assert.match(table, /c\.jpg +The image could not be read\. +- +bird/)
  assert.match(table, /pictures 3 {3}failed 1 {3}precision 0\.75 {3}recall 0\.50/)
})
