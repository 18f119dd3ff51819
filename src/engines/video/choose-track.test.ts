import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseTrack } from './choose-track.ts'

const on = { isSwitchedOn: true }
const off = { isSwitchedOn: false }
const cover = { ...on, isSinglePicture: true }
const choose = (...tracks: Parameters<typeof chooseTrack>[0]) =>
  tracks.indexOf(chooseTrack(tracks as (typeof cover)[], (track) => track))

test('the first track that is switched on is played', () => {
  assert.equal(choose(off, on, { ...on }), 1)
  assert.equal(choose(off, { ...off }), 0)
  assert.equal(choose(), -1)
})

test('a cover is played only where there is nothing else', () => {
  assert.equal(choose(cover, on), 1)
  assert.equal(choose(cover, off), 1)
  assert.equal(choose(cover), 0)
})
