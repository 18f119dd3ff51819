import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readUploadResponse } from './send-upload.ts'

const errorBody = (message: string, more = {}) => JSON.stringify({ message, code: 'x', ...more })

test('a file that the server accepted is done', () => {
  const done = { status: 'done', mediaId: 7 }
  assert.deepEqual(readUploadResponse(201, '{"media":[{"id":7}],"alreadyThere":[]}'), { ...done, isDuplicate: false })
  assert.deepEqual(readUploadResponse(201, '{"media":[{"id":7}],"alreadyThere":[7]}'), { ...done, isDuplicate: true })
  assert.deepEqual(readUploadResponse(200, '<html>Thanks</html>'), { status: 'done' })
})

test('a file that the server refuses shows the error message and cannot be retried', () => {
  const sentence = 'The file is larger than 500 MB.'
  for (const status of [400, 413, 415])
    assert.deepEqual(readUploadResponse(status, errorBody(sentence)), { status: 'refused', message: sentence })
})

test('a file can be retried after a full quota, a server error or a lost session', () => {
  const sentence = "There isn't enough space in your storage for this file."
  assert.deepEqual(readUploadResponse(413, errorBody(sentence, { isOverQuota: true })), {
    status: 'failed',
    message: sentence,
  })
  assert.equal(readUploadResponse(500, errorBody('Something went wrong.')).status, 'failed')
  assert.equal(readUploadResponse(401, errorBody('Please sign in first.')).status, 'failed')
})

test('a file over the proxy limit shows a message about it and can be retried', () => {
  assert.deepEqual(readUploadResponse(413, '<html>413 Request Entity Too Large</html>'), {
    status: 'failed',
    message: 'The proxy in front of Albumen rejected a request of this size. Ask its administrator to raise the limit.',
  })
})

test('a response without a message, such as a proxy error page, is a plain failure', () => {
  assert.deepEqual(readUploadResponse(502, '<html>Bad Gateway</html>'), { status: 'failed', message: 'Upload failed' })
})
