import assert from 'node:assert/strict'
import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { pngChunk, writePngBomb } from '#engines/images/pictures.fixture.ts'
import { multipart } from '../support/multipart.ts'
import { makeJpeg } from '../support/pictures.ts'
import { cpuMsOf } from '../support/process-usage.ts'
import { counted, type Fault, mebibytes, seconds } from './fault.ts'
import { openLibrary, storedIn, upload } from './library.ts'
import { watchMemory } from './process-tree.ts'

const cpuMs = 5000
const growthBytes = 400 * 2 ** 20

/** Small files that decompress to gigabytes. */
export const decoderBombs: Fault = async () => {
  await using library = await openLibrary()
  const { send, server } = library
  // The decoder process is started first, so that only the bomb is measured.
  await upload(send, [{ name: 'before.jpg', bytes: await makeJpeg() }])
  const worst = { cpuMs: 0, growth: 0 }
  const statuses: string[] = []
  const bombs = Object.entries(await makeBombs())
  for (const [name, bytes] of bombs) {
    const before = cpuMsOf(server.pid)
    const { result: answer, growth } = await watchMemory(server.pid, () =>
      send('POST', '/api/upload', multipart([{ name, bytes }], { enableAi: 'false' })),
    )
    const spent = cpuMsOf(server.pid) - before
    const body = (await answer.json()) as { message?: string }
    assert.ok([201, 413, 415].includes(answer.status), `${name} answered ${answer.status} ${body.message}`)
    statuses.push(`${name.split('.')[0]} ${answer.status}`)
    worst.cpuMs = Math.max(worst.cpuMs, spent)
    worst.growth = Math.max(worst.growth, growth)
  }
  await upload(send, [{ name: 'after.jpg', bytes: await makeJpeg() }])
  assert.deepEqual((await storedIn(library.directory)).unfinished, [])
  return [
    counted('decoder bombs: refused before they are decompressed', {
      figure: `${bombs.length} bombs (${statuses.join(', ')}): at most ${seconds(worst.cpuMs)} CPU, ${mebibytes(worst.growth)} more`,
      toReach: 'no crash, 5 s CPU, +400 MiB',
      isReached: worst.cpuMs <= cpuMs && worst.growth <= growthBytes,
    }),
  ]
}

async function makeBombs(): Promise<Record<string, Uint8Array>> {
  const plain = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: '#808080' }, limitInputPixels: false })
  return {
    'black.png': writePngBomb(30_000, 30_000),
    'lying.png': lyingPng(),
    'text.png': pngWithText(),
    'wide.jpg': await plain(16_000, 16_000).jpeg().toBuffer(),
    'film.gif': await longFilm(),
  }
}

/** A file whose header claims an impossible size. */
function lyingPng() {
  const bytes = writePngBomb(64, 64)
  const header = Buffer.from(bytes.subarray(16, 29))
  header.writeUInt32BE(0x7fff_ffff, 0)
  header.writeUInt32BE(0x7fff_ffff, 4)
  return Buffer.concat([bytes.subarray(0, 8), pngChunk('IHDR', header), bytes.subarray(33)])
}

/** An image of four pixels with a comment that decompresses to 400 MB. */
function pngWithText() {
  const bytes = writePngBomb(2, 2)
  const text = Buffer.concat([Buffer.from('bomb\0\0'), deflateSync(Buffer.alloc(400_000_000))])
  return Buffer.concat([bytes.subarray(0, 33), pngChunk('zTXt', text), bytes.subarray(33)])
}

/** 500 frames of four megapixels: two gigapixels in a few hundred kilobytes. */
async function longFilm() {
  const one = await sharp({ create: { width: 2000, height: 2000, channels: 3, background: '#102030' } })
    .gif()
    .toBuffer()
  // After the header, screen and palette comes the first frame; the film repeats it.
  const palette = one[10]! & 0x80 ? 3 * 2 ** ((one[10]! & 7) + 1) : 0
  const begin = 13 + palette
  const frame = one.subarray(begin, -1)
  return Buffer.concat([one.subarray(0, begin), ...Array.from({ length: 500 }, () => frame), one.subarray(-1)])
}
