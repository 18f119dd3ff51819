import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ViewedMedia } from '../../contract.ts'
import { exposureWords, factsOf, formatTaken } from './facts.ts'

const photograph = {
  type: 'image',
  mimeType: 'image/jpeg',
  isAnimated: false,
  width: 4032,
  height: 3024,
  duration: null,
  size: 4_404_019,
  createdAt: '2025-01-05T12:00:00.000Z',
  takenAt: '2024-07-14T18:30:00+02:00',
  viewCount: 1200,
  exif: {
    camera: 'Leica Q3',
    lens: 'Summilux 28 mm',
    exposure: '1/250',
    aperture: 2.8,
    focalLength: 28,
    iso: 200,
    latitude: -33.8568,
    longitude: 151.2153,
  },
} as ViewedMedia

const factAbout = (media: ViewedMedia, term: string) => factsOf(media, 'en-GB').find((fact) => fact.term === term)

test('a photograph shows its camera data', () => {
  assert.deepEqual(
    factsOf(photograph, 'en-GB').map(({ term }) => term),
    ['Type', 'Dimensions', 'Size', 'Taken', 'Added', 'Camera', 'Lens', 'Exposure', 'Place', 'Views'],
  )
  assert.equal(factAbout(photograph, 'Type')?.value, 'JPEG image')
  assert.equal(factAbout(photograph, 'Dimensions')?.value, '4032 × 3024 · 12.2 MP')
  assert.equal(factAbout(photograph, 'Size')?.value, '4.2 MB')
  assert.equal(factAbout(photograph, 'Exposure')?.value, '1/250 s · f/2.8 · 28 mm · ISO 200')
  assert.equal(factAbout(photograph, 'Views')?.value, '1,200')
})

test('a location is shown as a link to the map only', () => {
  assert.deepEqual(factAbout(photograph, 'Place'), {
    term: 'Place',
    value: '33.8568° S, 151.2153° E',
    href: 'https://www.openstreetmap.org/?mlat=-33.8568&mlon=151.2153#map=15/-33.8568/151.2153',
  })
  const named = { ...photograph, exif: { ...photograph.exif, place: 'Sydney, Australia' } }
  assert.equal(factAbout(named, 'Place')?.value, 'Sydney, Australia')
})

test("the time of a photograph is shown as the camera's local time", () => {
  assert.match(formatTaken('2024-07-14T18:30:00+02:00', 'en-GB'), /14 Jul 2024.*18:30/)
  assert.match(formatTaken('2024-07-14T18:30:00', 'en-GB'), /14 Jul 2024.*18:30/)
  assert.equal(formatTaken('long ago'), 'long ago')
})

test('unknown facts are left out', () => {
  const bare = { ...photograph, exif: null, takenAt: null, width: null, height: null }
  assert.deepEqual(
    factsOf(bare).map(({ term }) => term),
    ['Type', 'Size', 'Added', 'Views'],
  )
  assert.equal(factAbout({ ...photograph, exif: { iso: 100 } }, 'Exposure')?.value, 'ISO 100')
  assert.equal(exposureWords({}), '')
  assert.equal(factAbout({ ...photograph, exif: { latitude: 3 } }, 'Place'), undefined)
})

test('a video shows its duration, and an animated picture is marked as animated', () => {
  const video = { ...photograph, type: 'video', mimeType: 'video/mp4', duration: 74.2, exif: null } as ViewedMedia
  assert.equal(factAbout(video, 'Duration')?.value, '1:14')
  assert.equal(factAbout(video, 'Dimensions')?.value, '4032 × 3024')
  assert.equal(
    factAbout({ ...photograph, mimeType: 'image/gif', isAnimated: true }, 'Type')?.value,
    'GIF image, animated',
  )
})
