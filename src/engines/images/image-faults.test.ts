import assert from 'node:assert/strict'
import { type ChildProcess, execFile } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { AppError } from '#platform/errors.ts'
import {
  drawFilm,
  drawHalves,
  drawLargeNoise,
  drawNoise,
  mutate,
  openStudio,
  seededRandom,
} from './pictures.fixture.ts'

/** Collects the children that start while the returned object is in use. */
function watchChildren() {
  const children: ChildProcess[] = []
  const onChild = (message: unknown) => children.push((message as { process: ChildProcess }).process)
  subscribe('child_process', onChild)
  return { children, [Symbol.dispose]: () => unsubscribe('child_process', onChild) }
}

test('a killed decoder costs only the picture it was working on', async () => {
  await using studio = await openStudio()
  using watch = watchChildren()
  const small = await studio.save(await drawHalves(40, 30).png().toBuffer())
  const large = await studio.save(await (await drawLargeNoise(3000)).png({ compressionLevel: 1 }).toBuffer())
  await studio.engine.inspect(small)
  const thumbnailPath = studio.newPath()
  const killed = studio.engine.process({ path: large, thumbnailPath })
  const waiting = studio.engine.inspect(small)
  watch.children[0]!.kill('SIGKILL')
  await assert.rejects(killed, { code: 'unavailable' })
  assert.equal((await waiting).width, 40)
  assert.equal(watch.children.length, 2)
  assert.ok(!existsSync(thumbnailPath))
})

test('thumbnails are made while conversions run', async () => {
  await using studio = await openStudio()
  using watch = watchChildren()
  const path = await studio.save(await drawHalves(40, 30).png().toBuffer())
  const stopped = [1, 2, 3].map(() =>
    assert.rejects(studio.engine.convert({ path, outputPath: studio.newPath(), quality: 80 }), {
      code: 'closing',
    }),
  )
  // The conversion is suspended: a thumbnail that waited for it would never finish.
  process.kill(watch.children[0]!.pid!, 'SIGSTOP')
  assert.equal((await studio.engine.inspect(path)).width, 40)
  await studio.engine.render({ path, outputPath: studio.newPath(), width: 20, format: 'webp' })
  await studio.engine.close()
  await Promise.all(stopped)
})

test('a picture that takes too long is given up', async () => {
  await using studio = await openStudio({ conversionTimeoutMs: 1_000 })
  const path = await studio.save(await (await drawLargeNoise(5000)).jpeg({ quality: 90 }).toBuffer())
  const outputPath = studio.newPath()
  await assert.rejects(studio.engine.convert({ path, outputPath, quality: 95 }), {
    code: 'too-slow',
    status: 413,
  })
  assert.ok(!existsSync(outputPath))
})

test('the server process never loads the decoders', async () => {
  const engine = JSON.stringify(new URL('./image-engine.ts', import.meta.url))
  const script = `const { createImageEngine } = await import(${engine}); createImageEngine()
    console.log(JSON.stringify(process.report.getReport().sharedObjects))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script])
  assert.ok(stdout.includes('libc'), 'the list names what is loaded')
  assert.ok(!/vips|sharp/.test(stdout))
})

test('no child starts before there is work', async () => {
  using watch = watchChildren()
  await using studio = await openStudio()
  assert.equal(watch.children.length, 0)
  await assert.rejects(studio.engine.inspect(studio.newPath()), { code: 'not-found' })
  assert.equal(watch.children.length, 1)
})

test('200 mutated files are decoded or refused, and the engine keeps working', async () => {
  await using studio = await openStudio()
  using watch = watchChildren()
  const film = await drawFilm(24, 16, ['#ff0000', '#00ff00', '#0000ff'])
  const seeds = await Promise.all([
    drawNoise(60, 40).jpeg().withMetadata({ orientation: 8 }).toBuffer(),
    drawHalves(60, 40).png().withMetadata({ orientation: 3 }).toBuffer(),
    drawNoise(60, 40).webp().withMetadata({ orientation: 5 }).toBuffer(),
    film.clone().gif().toBuffer(),
    film.clone().webp().toBuffer(),
  ])
  const random = seededRandom(20_240)
  const outcomes = { decoded: 0, refused: 0 }
  for (let round = 0; round < 200; round++) {
    const path = await studio.save(mutate(seeds[round % seeds.length]!, random))
    try {
      const image = await studio.engine.process({ path, thumbnailPath: studio.newPath() })
      assert.ok(image.width > 0 && image.height > 0 && image.colours.length <= 3, `round ${round}`)
      outcomes.decoded++
    } catch (error) {
      assert.ok(error instanceof AppError && [413, 415].includes(error.status), `round ${round}: ${error}`)
      outcomes.refused++
    }
  }
  assert.ok(outcomes.decoded > 10 && outcomes.refused > 50, JSON.stringify(outcomes))
  assert.equal(watch.children.length, 1, 'the child that began has also finished')
})
