import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createImageFinder } from './image-finder.ts'

test('a page is read in a process of its own, with the same result', async () => {
  const finder = createImageFinder()
  try {
    const page = await finder.findImages('<title>Bees</title><img src="/bee.jpg" alt="A bee">', 'https://hive.example/')
    assert.equal(page.title, 'Bees')
    assert.deepEqual(
      page.images.map(({ url, alt }) => ({ url, alt })),
      [{ url: 'https://hive.example/bee.jpg', alt: 'A bee' }],
    )
  } finally {
    await finder.close()
  }
})

test('a page that takes too long is given up', async () => {
  const finder = createImageFinder({ timeoutMs: 1 })
  try {
    const slow = '<div class="card"><a href="a.jpg">'.repeat(100_000)
    await assert.rejects(finder.findImages(slow, 'https://slow.example/'), { code: 'page-too-complex', status: 422 })
  } finally {
    await finder.close()
  }
})
