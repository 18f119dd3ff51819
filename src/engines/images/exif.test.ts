import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp, { type Exif } from 'sharp'
import { readExif } from './exif.ts'
import { cameraExif, mutate, seededRandom } from './pictures.fixture.ts'

async function writeExif(exif: Exif) {
  const create = { width: 2, height: 2, channels: 3 as const, background: '#fff' }
  const { exif: block } = await sharp(await sharp({ create }).jpeg().withExif(exif).toBuffer()).metadata()
  return block
}

test('a picture without EXIF has none', () => {
  assert.deepEqual(readExif(undefined), {})
  assert.deepEqual(readExif(Buffer.alloc(0)), {})
  assert.deepEqual(readExif(Buffer.from('Exif\0\0nonsense')), {})
})

test('camera maker and model are joined to one readable name', async () => {
  const name = async (Make: string, Model: string) => readExif(await writeExif({ IFD0: { Make, Model } })).camera
  assert.equal(await name('NIKON CORPORATION', 'NIKON Z 9'), 'NIKON Z 9')
  assert.equal(await name('Apple', 'iPhone 15 Pro'), 'Apple iPhone 15 Pro')
  assert.equal(await name('Sony', ' '), 'Sony')
})

test('a time without offset stays local, and an impossible time is omitted', async () => {
  const takenAt = async (DateTimeOriginal: string, OffsetTimeOriginal = ' ') =>
    readExif(await writeExif({ IFD2: { DateTimeOriginal, OffsetTimeOriginal } })).takenAt
  assert.equal(await takenAt('2020:02:29 23:59:58'), '2020-02-29T23:59:58')
  assert.equal(await takenAt('2020:02:29 23:59:58', '-03:30'), '2020-02-29T23:59:58-03:30')
  assert.equal(await takenAt('2020:02:29 23:59:58', 'drop'), '2020-02-29T23:59:58')
  assert.equal(await takenAt('2021:02:29 10:00:00'), undefined)
  assert.equal(await takenAt('0000:00:00 00:00:00'), undefined)
  assert.equal(await takenAt('yesterday'), undefined)
})

test('long, hidden and direction-changing EXIF text is cleaned', async () => {
  const block = (await writeExif({ IFD0: { Model: `Good\x01\x1b[31m\n???name ${'x'.repeat(5_000)}` } }))!
  block.write('\u202e', block.indexOf('???'), 'utf8')
  const { camera } = readExif(block)
  assert.match(camera!, /^Good \[31m name x+$/)
  assert.equal(camera!.length, 100)
})

test('impossible numbers and positions are omitted', async () => {
  const IFD2 = { FNumber: '1/0', ExposureTime: '0/1', FocalLength: '4000000000/1', ISOSpeedRatings: '0' }
  const place = { GPSLatitudeRef: 'N', GPSLatitude: '91/1 0/1 0/1', GPSLongitudeRef: 'E', GPSLongitude: '10/1 0/1 0/1' }
  assert.deepEqual(readExif(await writeExif({ IFD2, IFD3: place })), {})
  const nowhere = { ...place, GPSLatitude: '0/1 0/1 0/1', GPSLongitude: '0/1 0/1 0/1' }
  assert.deepEqual(readExif(await writeExif({ IFD3: nowhere })), {})
})

test('exposure times are written as photographers write them', async () => {
  const exposure = async (ExposureTime: string) => readExif(await writeExif({ IFD2: { ExposureTime } })).exposure
  assert.equal(await exposure('10/8000'), '1/800')
  assert.equal(await exposure('5/2'), '2.5')
  assert.equal(await exposure('30/1'), '30')
})

test('500 mutated EXIF blocks are read or omitted without harm', async () => {
  const block = (await writeExif(cameraExif))!
  const random = seededRandom(7)
  for (let round = 0; round < 500; round++) {
    const { camera = '', takenAt = '', latitude = 0 } = readExif(mutate(block, random))
    assert.ok(camera.length <= 201 && takenAt.length <= 25 && Math.abs(latitude) <= 90)
  }
})
