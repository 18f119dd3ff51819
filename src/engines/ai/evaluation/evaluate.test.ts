import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AiProvider, AiTag } from '../provider.ts'
import { evaluate, formatTotals, formatWorst, totalsOf } from './evaluate.ts'
import { isFrozen, Labels } from './labels.ts'
import { type Answer, formatAnswers, formatFailedAnswers } from './queries.ts'

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

const score = (labels: unknown) => evaluate({ provider, labels: Labels.parse(labels), pathOf: (file) => file })

test('precision counts what was given, recall what was expected, a failure what was missed', async () => {
  const scores = await score({
    'a.jpg': { must: ['Cats'], may: ['animal'] },
    'b.jpg': ['dog', 'beach'],
    'c.jpg': ['bird'],
  })
  const totals = totalsOf(scores)
  assert.equal(totals.precision, 3 / 4)
  assert.equal(totals.recall, 2 / 4)
  assert.match(formatWorst(scores), /a\.jpg +sofa +- +cat, animal/)
  assert.match(formatWorst(scores), /c\.jpg +- +bird +The image could not be read\./)
  assert.match(formatTotals([['all', totals]]), /all +3 +1 +0\.75 +0\.50/)
})

test('any word of an expected group finds it, and a set of words may be used by several pictures', async () => {
  const [cat] = await score({
    sets: { pet: 'animal, pet' },
    pictures: { 'a.jpg': { must: ['kitten, cat', 'couch, sofa', 'window'], may: '@pet' } },
  })
  assert.deepEqual([cat!.found, cat!.missed, cat!.wrong], [2, ['window'], []])
})

test('the main subject is the first group of words unless it is named', async () => {
  const scores = await score({
    'a.jpg': { must: ['cat', 'sofa'], main: 'sofa' },
    'b.jpg': { must: ['beach', 'dog'] },
  })
  assert.equal(totalsOf(scores).mainSubject, 1 / 2)
})

test('labels that use an unknown set of words are refused', () => {
  assert.throws(() => Labels.parse({ sets: {}, pictures: { 'a.jpg': { must: ['@pets'] } } }), /no set @pets/)
})

test('a picture belongs to the frozen half by its name alone', () => {
  assert.deepEqual(['a.jpg', 'b.jpg', 'c.jpg', 'd.jpg'].map(isFrozen), [false, true, true, false])
})

test('a search counts when one right picture is found, or nothing where nothing is right', () => {
  const answers: Answer[] = [
    { query: 'cat', right: ['a.jpg'], found: ['b.jpg', 'a.jpg'] },
    { query: 'cats', right: ['a.jpg'], found: ['b.jpg'] },
    { query: 'sushi', right: [], found: [] },
    { query: 'wedding', right: [], found: ['b.jpg'] },
  ]
  assert.match(formatAnswers(answers), /tuning +1 +0\.00 +0 of 1\nfrozen +1 +1\.00 +1 of 1/)
  assert.match(formatFailedAnswers(answers), /cats +b\.jpg +a\.jpg\nwedding +b\.jpg +-$/)
})
