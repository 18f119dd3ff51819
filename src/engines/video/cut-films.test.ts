import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { box } from '#engines/metadata/stripping.fixture.ts'
import { blue, green, red, white } from './testing/quadrants.ts'
import { areColoursSimilar, openVideoFixture, readQuadrants } from './testing/video-fixture.ts'

const { engine, make, at } = await openVideoFixture()
const framesPerSecond = 10

/** A part of a video, in seconds. */
type Part = { from: number; length: number }

/** Cuts as editors do that do not encode: an edit list names the visible parts, and the rest stays in the file. */
async function cut(path: string, parts: Part[]) {
  const content = await readFile(path)
  const number = (type: string, offset: number) => content.readUInt32BE(content.indexOf(type) + offset)
  const [perSecond, mediaPerSecond, firstPicture] = [number('mvhd', 16), number('mdhd', 16), number('elst', 16)]
  const entries = parts.flatMap(({ from, length }) => [
    length * perSecond,
    from * mediaPerSecond + firstPicture,
    0x10000,
  ])
  const list = box('edts', box('elst', 0, parts.length, ...entries))
  const start = content.indexOf('edts') - 4
  const end = start + content.readUInt32BE(start)
  // The index is the last box in the file, so only its own sizes change.
  for (const type of ['moov', 'trak']) {
    const size = content.indexOf(type) - 4
    content.writeUInt32BE(content.readUInt32BE(size) + list.length - (end - start), size)
  }
  await writeFile(path, Buffer.concat([content.subarray(0, start), list, content.subarray(end)]))
  return path
}

test('a video whose start was cut away long after a keyframe starts at the cut', async () => {
  const clip = { format: 'mov', framesPerSecond, frames: 160, keyframeInterval: 1000 } as const
  const path = await cut(await make(clip), [{ from: 10, length: 6 }])
  const { durationSeconds } = await engine.process({ path, posterPath: at('begins.jpg') })
  assert.ok(Math.abs(durationSeconds - 6) < 0.2, `${durationSeconds}`)
  const colours = await readQuadrants(at('begins.jpg'))
  assert.ok(areColoursSimilar(colours, [red, green, blue, white]), JSON.stringify(colours))
  assert.equal((await engine.makePlayable({ path, outputPath: at('begins.mp4') })).method, 'remux')
  assert.ok(Math.abs((await engine.probe(at('begins.mp4'))).durationSeconds - 6) < 0.3)
})

test('a part that was cut out of a video is not played', async () => {
  const clip = { format: 'mov', framesPerSecond, frames: 160, keyframeInterval: 1000 } as const
  const parts = [
    { from: 0, length: 4 },
    { from: 12, length: 4 },
  ]
  const path = await cut(await make({ ...clip, scenes: 4 }), parts)
  await engine.makePlayable({ path, outputPath: at('middle.mp4') })
  const { durationSeconds } = await engine.probe(at('middle.mp4'))
  assert.ok(Math.abs(durationSeconds - 8) < 0.5, `${durationSeconds}`)
  const [, ...others] = await engine.sceneFrames({ path: at('middle.mp4'), directory: at('.'), max: 8 })
  assert.equal(others.length, 1, 'the first scene and the last')
  const colours = await readQuadrants(others[0]!)
  assert.ok(areColoursSimilar(colours, [white, red, green, blue]), JSON.stringify(colours))
})
