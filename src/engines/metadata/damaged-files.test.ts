import assert from 'node:assert/strict'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { cameraExif, drawFilm, drawHalves, drawNoise, mutate, seededRandom } from '#engines/images/pictures.fixture.ts'
import { AppError } from '#platform/errors.ts'
import { box, openWorkspace, riffChunk, secret } from './stripping.fixture.ts'
import { writeWithoutMetadata } from './write-without-metadata.ts'

const refused = { name: 'AppError', code: 'corrupt-file', status: 422 }

async function makeSeeds(): Promise<[mimeType: string, bytes: Buffer][]> {
  const film = await drawFilm(24, 16, ['#ff0000', '#00ff00', '#0000ff'])
  const list = (type: string, ...parts: Uint8Array[]) => riffChunk('LIST', Buffer.from(type), ...parts)
  const table = box('stbl', box('stsc', 0, 1, 1, 1, 1), box('stsz', 0, 0, 2, 6, 6), box('stco', 0, 2, 24, 30))
  const media = (handler: string) => box('mdia', box('hdlr', 0, 0, handler, 0, 0, 0), box('minf', table))
  return [
    ['image/jpeg', await drawNoise(60, 40).jpeg({ progressive: true }).withExif(cameraExif).toBuffer()],
    ['image/png', await drawHalves(60, 40).png().withMetadata({ orientation: 3 }).toBuffer()],
    ['image/webp', await drawNoise(60, 40).webp().withMetadata({ orientation: 5 }).toBuffer()],
    ['image/webp', await film.clone().webp().toBuffer()],
    ['image/gif', await film.clone().gif().toBuffer()],
    [
      'video/mp4',
      Buffer.concat([
        box('ftyp', 'isom', 0),
        box('mdat', 'frame1frame2'),
        box('moov', box('mvhd', 0, 1, 1), box('trak', media('vide')), box('trak', media('meta')), box('udta', secret)),
      ]),
    ],
    [
      'video/x-msvideo',
      riffChunk(
        'RIFF',
        Buffer.from('AVI '),
        list('hdrl', riffChunk('avih', Buffer.alloc(56)), list('strl', riffChunk('strh', Buffer.alloc(56)))),
        list('movi', riffChunk('00dc', Buffer.from('frame1')), list('rec ', riffChunk('00dc', Buffer.from('frame2')))),
        riffChunk('idx1', Buffer.alloc(32)),
      ),
    ],
  ]
}

test('empty, cut and foreign files are refused in every format and leave no output', async () => {
  await using workspace = await openWorkspace()
  const folder = async () => (await readdir(workspace.folder)).filter((name) => name.endsWith('-out'))
  for (const [mimeType, bytes] of await makeSeeds()) {
    await assert.rejects(workspace.strip(mimeType, Buffer.alloc(0)), refused, mimeType)
    await assert.rejects(workspace.strip(mimeType, Buffer.alloc(100_000)), refused, mimeType)
    await assert.rejects(workspace.strip(mimeType, Buffer.alloc(100_000, 0xff)), refused, mimeType)
    await assert.rejects(workspace.strip(mimeType, bytes.subarray(0, 30)), refused, mimeType)
  }
  assert.deepEqual(await folder(), [])
})

test('a type without rules is refused rather than copied', async () => {
  await using workspace = await openWorkspace()
  await assert.rejects(workspace.strip('image/tiff', Buffer.from('II*\0')), { code: 'unsupported-type', status: 415 })
})

test('a file is never overwritten with its own copy', async () => {
  await using workspace = await openWorkspace()
  const path = join(workspace.folder, 'original')
  await writeFile(path, await drawHalves(8, 8).png().toBuffer())
  await assert.rejects(writeWithoutMetadata({ mimeType: 'image/png', inputPath: path, outputPath: path }), /differs/)
  assert.deepEqual(await readdir(workspace.folder), ['original'])
})

test('a file of countless empty parts is refused quickly', async () => {
  await using workspace = await openWorkspace()
  const many = (part: Buffer, count: number) => Buffer.alloc(part.length * count, part)
  const [, png] = await makeSeeds()
  const emptyChunk = Buffer.from('\0\0\0\0tEXt\0\0\0\0', 'latin1')
  const header = png![1].subarray(0, 33)
  await assert.rejects(workspace.strip('image/png', Buffer.concat([header, many(emptyChunk, 250_100)])), refused)
  const webp = Buffer.concat([Buffer.from('RIFF\xff\xff\xff\x7fWEBP', 'latin1'), many(riffChunk('ALPH'), 100_100)])
  await assert.rejects(workspace.strip('image/webp', webp), refused)
  const nested = many(Buffer.from('LIST\xff\xff\xff\x7frec ', 'latin1'), 50_000)
  const avi = Buffer.concat([Buffer.from('RIFF\xff\xff\xff\x7fAVI LIST\xff\xff\xff\x7fmovi', 'latin1'), nested])
  await assert.rejects(workspace.strip('video/x-msvideo', avi), refused)
})

test('a position track that claims more than it has is refused or erased to the end', async () => {
  await using workspace = await openWorkspace()
  const film = (sizes: Buffer, runs: Buffer) => {
    const table = box('stbl', runs, sizes, box('stco', 0, 1, 8))
    const track = (handler: string) => box('trak', box('mdia', box('hdlr', 0, 0, handler, 0, 0, 0), box('minf', table)))
    return Buffer.concat([box('mdat', 'frames'), box('moov', track('vide'), track('meta'))])
  }
  const [fair, greedy] = [box('stsc', 0, 1, 1, 1, 1), box('stsc', 0, 1, 1, 0xffffffff, 1)]
  await workspace.strip('video/mp4', film(box('stsz', 0, 0, 1, 6), fair))
  const clipped = await workspace.strip('video/mp4', film(box('stsz', 0, 0, 1, 6), greedy))
  assert.ok(!clipped.includes('frames'))
  await assert.rejects(workspace.strip('video/mp4', film(box('stsz', 0, 0, 0xffffffff), fair)), refused)
  const endless = await workspace.strip('video/mp4', film(box('stsz', 0, 0xffffffff, 0xffffffff), fair))
  assert.ok(!endless.includes('frames'), 'an erasure ends with the file')
})

test('300 mutated files end in a clean copy or a clear refusal', async () => {
  await using workspace = await openWorkspace()
  const seeds = await makeSeeds()
  const random = seededRandom(4_711)
  const outcomes = { copied: 0, refused: 0 }
  for (let round = 0; round < 300; round++) {
    const [mimeType, bytes] = seeds[round % seeds.length]!
    try {
      const copy = await workspace.strip(mimeType, mutate(bytes, random))
      outcomes.copied++
      // A second run over the copy changes nothing.
      if (mimeType.startsWith('image/')) assert.deepEqual(await workspace.strip(mimeType, copy), copy, `round ${round}`)
    } catch (error) {
      assert.ok(error instanceof AppError && error.code === 'corrupt-file', `round ${round}: ${error}`)
      outcomes.refused++
    }
  }
  assert.ok(outcomes.copied > 40 && outcomes.refused > 50, JSON.stringify(outcomes))
})
