import assert from 'node:assert/strict'
import { test } from 'node:test'
import { urlFormats } from './url-formats.ts'

const publicUrl = 'https://photos.example/public/beach?a=1&b="2"'
const formatted = (filename: string) => (format: keyof typeof urlFormats) =>
  urlFormats[format].format([{ filename, publicUrl }])

test('a file name that looks like a formula, a tag or a link is escaped in every format', () => {
  for (const sign of ['=', '+', '-', '@', '\t', '\r'])
    assert.equal(
      formatted(`${sign}cmd("x").jpg`)('csv'),
      `"Name","URL"\r\n"'${sign}cmd(""x"").jpg","https://photos.example/public/beach?a=1&b=""2"""`,
    )
  assert.doesNotMatch(formatted('<img src=x onerror=alert(1)>"')('html'), /<img|href="[^"]*"2/)
  assert.equal(formatted('](http://evil)[x')('markdown'), `- [\\](http://evil)\\[x](${publicUrl})`)
  assert.equal(formatted('*new* <b>.jpg')('markdown'), `- [\\*new\\* \\<b\\>.jpg](${publicUrl})`)
})

test('names and addresses are formatted as plain lines and as table cells', () => {
  assert.equal(formatted('beach.jpg')('lines'), publicUrl)
  assert.match(formatted('beach.jpg')('csv'), /\r\n"beach.jpg",/)
})
