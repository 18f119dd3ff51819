import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readUploadAnswer } from './upload-answer.ts'

const said = (message: string, more = {}) => JSON.stringify({ message, code: 'x', ...more })

test('a file that the server took is done', () => {
  const done = { status: 'done', mediaId: 7 }
  assert.deepEqual(readUploadAnswer(201, '{"media":[{"id":7}],"alreadyThere":[]}'), { ...done, wasThere: false })
  assert.deepEqual(readUploadAnswer(201, '{"media":[{"id":7}],"alreadyThere":[7]}'), { ...done, wasThere: true })
  assert.deepEqual(readUploadAnswer(200, '<html>Thanks</html>'), { status: 'done' })
})

test('a file that the server does not accept carries the sentence and is not tried again', () => {
  const sentence = 'The file is larger than 500 MB.'
  for (const status of [400, 413, 415])
    assert.deepEqual(readUploadAnswer(status, said(sentence)), { status: 'refused', message: sentence })
})

test('what may pass can be tried again: a full quota, a fault, a lost session', () => {
  const sentence = "There isn't enough space in your storage for this file."
  assert.deepEqual(readUploadAnswer(413, said(sentence, { isOverQuota: true })), {
    status: 'failed',
    message: sentence,
  })
  assert.equal(readUploadAnswer(500, said('Something went wrong.')).status, 'failed')
  assert.equal(readUploadAnswer(401, said('Please sign in first.')).status, 'failed')
})

test('what is too large for the proxy says so, and can be tried again when its limit was raised', () => {
  assert.deepEqual(readUploadAnswer(413, '<html>413 Request Entity Too Large</html>'), {
    status: 'failed',
    message: 'The proxy in front of Albumen rejected a request of this size. Ask its administrator to raise the limit.',
  })
})

test('an answer without a sentence, such as a page of a proxy, is just a failure', () => {
  assert.deepEqual(readUploadAnswer(502, '<html>Bad Gateway</html>'), { status: 'failed', message: 'Upload failed' })
})
