import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultChoices, exampleName, limitText, toUploadFields, webNamesFor } from './upload-choices.ts'

test('AI analysis and original WebP names are on by default, custom naming is off', () => {
  assert.deepEqual(toUploadFields(defaultChoices, 1), {
    enableAi: 'true',
    preserveOriginalName: 'true',
    sequenceStart: '1',
  })
})

test('a prefix is sent only with custom naming, and only if there is one', () => {
  const choices = { ...defaultChoices, prefix: ' summer ' }
  assert.equal(toUploadFields(choices, 1).uploadPrefix, undefined)
  assert.equal(toUploadFields({ ...choices, hasCustomNaming: true }, 4).uploadPrefix, 'summer')
  assert.equal('uploadPrefix' in toUploadFields({ ...choices, hasCustomNaming: true, prefix: ' ' }, 4), false)
})

test('the shown limit depends on AI analysis', () => {
  assert.equal(limitText({ hasAi: true }), 'Up to 20 files')
  assert.equal(limitText({ hasAi: false }), 'Up to 200 files')
})

test('the example shows prefix, original name and number', () => {
  assert.equal(exampleName('summer'), 'summer-IMG_2041-1.jpg')
  assert.equal(exampleName(' summer_ ', 'beach.png'), 'summer_beach-1.png')
  assert.equal(exampleName(' '), 'IMG_2041-1.jpg')
})

test('web names are shown before the upload as the server gives them', () => {
  const names = ['Rote Schuhe_IMG-2041.JPG', 'IMG_2042.jpg', 'rote-Schuhe.jpg']
  const shown = webNamesFor(names, { pattern: '{website}-{subject}', website: 'Müller' })
  assert.deepEqual(shown, ['mueller-rote-schuhe.jpg', 'mueller-image.jpg', 'mueller-rote-schuhe-2.jpg'])
  const choices = { ...defaultChoices, hasWebNames: true, pattern: '{subject' }
  assert.equal(toUploadFields(choices, 1).namePattern, '', 'a pattern with a problem is not sent')
})
