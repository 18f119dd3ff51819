import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeSnippet } from './snippets.ts'

const url = 'https://a.example/files/1/abc/pier.jpg'
const image = { url, thumbnailUrl: '', width: 1000, height: 500, alt: 'A "pier" [low] <tide>', name: 'pier.jpg' }
const page = { url: 'https://a.example/public/collections/sea', title: 'Sea & <sand>' }

test('an HTML snippet has a srcset and an escaped description', () => {
  assert.equal(
    makeSnippet('html', [image], page),
    `<img src="${url}?w=1280&amp;format=webp" srcset="${url}?w=640&amp;format=webp 640w, ${url}?w=1280&amp;format=webp 1280w" sizes="100vw" width="1000" height="500" alt="A &quot;pier&quot; [low] &lt;tide&gt;" loading="lazy">`,
  )
})

test('a collection has snippets for Markdown, JSON and an iframe', () => {
  assert.equal(makeSnippet('markdown', [image, image], page).split('\n')[1], `![A "pier" \\[low\\] \\<tide\\>](${url})`)
  const unclosed = { ...image, alt: 'A pier', url: 'https://a.example/files/1/abc/pier%20(1.jpg' }
  assert.equal(makeSnippet('markdown', [unclosed], page), '![A pier](https://a.example/files/1/abc/pier%20%281.jpg)')
  assert.deepEqual(JSON.parse(makeSnippet('json', [image], page)), [image])
  assert.match(
    makeSnippet('iframe', [], page),
    /^<iframe src="https:\/\/a\.example\/public\/collections\/sea\?embed=1" title="Sea &amp; &lt;sand&gt;"/,
  )
})
