import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAcceptedFile, leftOutNotice, sortOutFiles } from './accepted-files.ts'

const limit = 524_288_000

test('every type of the specification is accepted, and nothing else', () => {
  const accepted = ['image/jpeg', 'image/jpg', 'image/png', 'image/gif', 'image/webp']
  const films = ['video/mp4', 'video/quicktime', 'video/x-msvideo', 'video/mov', 'video/avi']
  for (const type of [...accepted, ...films]) assert.ok(isAcceptedFile({ name: 'x', type, size: 1 }), type)
  for (const type of ['image/svg+xml', 'image/heic', 'image/avif', 'video/webm', 'text/plain', 'application/pdf'])
    assert.ok(!isAcceptedFile({ name: 'x.jpg', type, size: 1 }), type)
})

test('500 MB is the most, to the byte', () => {
  assert.ok(isAcceptedFile({ name: 'x', type: 'video/mp4', size: limit }))
  assert.ok(!isAcceptedFile({ name: 'x', type: 'video/mp4', size: limit + 1 }))
})

test('where the system knows no type, the name decides', () => {
  assert.ok(isAcceptedFile({ name: 'holiday.AVI', type: '', size: 1 }))
  assert.ok(isAcceptedFile({ name: 'holiday.avi', type: 'video/vnd.avi', size: 1 }))
  assert.ok(!isAcceptedFile({ name: 'notes.txt', type: '', size: 1 }))
  assert.ok(!isAcceptedFile({ name: 'avi', type: '', size: 1 }))
})

test('the good files of a mixed choice are kept', () => {
  const good = new File(['a'], 'a.png', { type: 'image/png' })
  const bad = new File(['b'], 'b.txt', { type: 'text/plain' })
  assert.deepEqual(sortOutFiles([good, bad]), { accepted: [good], rejected: [bad] })
})

test('the notice says what is accepted, in the words of the specification', () => {
  assert.deepEqual(leftOutNotice(1, 0), {
    title: 'Some files were rejected',
    description:
      'Only images and videos under 500MB are supported. Supported formats: JPEG, PNG, GIF, WebP, MP4, MOV, AVI.',
  })
  assert.equal(leftOutNotice(0, 0), undefined)
})

test('what the system did not give is told, beside what was rejected too', () => {
  const sentence = '2 files or folders could not be read. Check that you may open them and try again.'
  assert.deepEqual(leftOutNotice(0, 2), { title: 'Some files could not be read', description: sentence })
  assert.equal(leftOutNotice(3, 2)?.description, `${leftOutNotice(3, 0)?.description} ${sentence}`)
})
