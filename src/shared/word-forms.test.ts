import assert from 'node:assert/strict'
import { test } from 'node:test'
import { baseForms, hasWords } from './word-forms.ts'

const areForms = (first: string, second: string) => {
  const [all, others] = [first, second].map((word) => [word, ...baseForms(word)])
  return all!.some((form) => others!.includes(form))
}

test('plurals and -ing forms in English are forms of their word', () => {
  for (const [form, word] of [
    ['flowers', 'flower'],
    ['cats', 'cat'],
    ['trees', 'tree'],
    ['beaches', 'beach'],
    ['buses', 'bus'],
    ['houses', 'house'],
    ['boxes', 'box'],
    ['tomatoes', 'tomato'],
    ['shoes', 'shoe'],
    ['cities', 'city'],
    ['movies', 'movie'],
    ['leaves', 'leaf'],
    ['mice', 'mouse'],
    ['women', 'woman'],
    ['running', 'run'],
    ['dancing', 'dance'],
    ['surfing', 'surf'],
    ['falling', 'falls'],
  ] as const) {
    assert.ok(areForms(form, word), `${form} ${word}`)
  }
})

test('plurals in German are forms of their word', () => {
  for (const [form, word] of [
    ['blumen', 'blume'],
    ['katzen', 'katze'],
    ['rosen', 'rose'],
    ['frauen', 'frau'],
    ['inseln', 'insel'],
    ['kinder', 'kind'],
  ] as const) {
    assert.ok(areForms(form, word), `${form} ${word}`)
  }
  assert.ok(baseForms('hauser', true).includes('haus'))
})

test('different words that look alike are no forms of each other', () => {
  for (const [one, other] of [
    ['cats', 'catalogue'],
    ['flowers', 'flow'],
    ['planes', 'plan'],
    ['pines', 'pin'],
    ['cars', 'care'],
    ['glass', 'glas'],
    ['iris', 'iri'],
    ['evening', 'even'],
    ['spring', 'spr'],
    ['poster', 'post'],
    ['train', 'trail'],
    ['siren', 'sir'],
  ] as const) {
    assert.ok(!areForms(one, other), `${one} ${other}`)
  }
})

test('a text has the words of a search at the beginnings of its words or in other forms', () => {
  assert.ok(hasWords('Garden catalogue', 'cat gard'))
  assert.ok(hasWords('Flowers 2026', 'flower'))
  assert.ok(hasWords('Blume', 'Blumen'))
  assert.ok(!hasWords('Vacation', 'cat'))
  assert.ok(!hasWords('Garden catalogue', 'garden shed'))
  assert.ok(!hasWords('Garden', '&'))
})
