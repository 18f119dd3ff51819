import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseTrack, playableAs, readRecording, type Tracks } from './video-facts.ts'

const phoneClip: Tracks = {
  container: 'mp4',
  videoCodec: 'h264',
  pixelFormat: 'yuv420p',
  isHdr: false,
  audioCodec: 'aac',
}

test('H.264 with AAC, MP3 or no audio in MP4 is played as it is', () => {
  for (const audioCodec of ['aac', 'mp3', null]) assert.equal(playableAs({ ...phoneClip, audioCodec }), 'as-is')
})

test('the same tracks in a MOV need only another container', () => {
  assert.equal(playableAs({ ...phoneClip, container: 'mov' }), 'remux')
})

test('playable video with uncompressed camera audio is copied', () => {
  assert.equal(playableAs({ ...phoneClip, container: 'mov', audioCodec: 'pcm_s16le' }), 'remux')
})

test('video that browsers cannot decode is transcoded', () => {
  for (const videoCodec of ['hevc', 'prores', 'mjpeg', 'dvvideo', 'av1'])
    assert.equal(playableAs({ ...phoneClip, videoCodec }), 'transcode')
  assert.equal(playableAs({ ...phoneClip, pixelFormat: 'yuv420p10le' }), 'transcode')
  assert.equal(playableAs({ ...phoneClip, isHdr: true }), 'transcode')
  assert.equal(playableAs({ ...phoneClip, container: 'avi' }), 'transcode')
})

test('VP9 in MP4 is played as it is', () => {
  assert.equal(playableAs({ ...phoneClip, videoCodec: 'vp9' }), 'as-is')
})

const on = { isEnabled: true }
const off = { isEnabled: false }
const cover = { ...on, isSingleFrame: true }
const choose = (...tracks: Parameters<typeof chooseTrack>[0]) =>
  tracks.indexOf(chooseTrack(tracks as (typeof cover)[], (track) => track))

test('the first enabled track is played', () => {
  assert.equal(choose(off, on, { ...on }), 1)
  assert.equal(choose(off, { ...off }), 0)
  assert.equal(choose(), -1)
})

test('a cover is played only if there is no video', () => {
  assert.equal(choose(cover, on), 1)
  assert.equal(choose(cover, off), 1)
  assert.equal(choose(cover), 0)
})

test('the date and location of a phone video are read', () => {
  const tags = {
    creation_time: '2024-05-01T10:00:00.000000Z',
    'com.apple.quicktime.creationdate': '2024-05-01T12:00:00+0200',
    'com.apple.quicktime.location.ISO6709': '+48.8577+002.2950+035.000/',
  }
  assert.deepEqual(readRecording(tags), {
    takenAt: '2024-05-01T12:00:00+02:00',
    location: { latitude: 48.8577, longitude: 2.295 },
    camera: undefined,
  })
})

test('the date of an AVI is in the camera’s local time, with or without seconds', () => {
  const takenAt = (creation_time: string) => readRecording({ creation_time }).takenAt
  assert.equal(takenAt('2003-03-10 15:04:43'), '2003-03-10T15:04:43')
  assert.equal(takenAt('2009-10-27/ 12:14'), '2009-10-27T12:14:00')
  assert.equal(takenAt('2009-02-31 12:14:00'), undefined)
  assert.equal(takenAt('1980-01-01 00:00:00'), undefined)
})

test('the camera of a video is named as for a photo', () => {
  const camera = (tags: Record<string, string>) => readRecording(tags).camera
  assert.equal(
    camera({ 'com.apple.quicktime.make': 'Apple', 'com.apple.quicktime.model': 'iPhone 15\n' }),
    'Apple iPhone 15',
  )
  assert.equal(camera({ make: 'Canon', model: 'Canon EOS R5' }), 'Canon EOS R5')
  assert.equal(camera({ title: 'iPhone' }), undefined)
})

test('the epoch that a camera without a clock writes is not a date', () => {
  for (const creation_time of ['1904-01-01T00:00:00Z', '1970-01-01T00:00:00Z', 'yesterday', '2024-99-01T00:00:00Z'])
    assert.equal(readRecording({ creation_time }).takenAt, undefined)
})

test('a location outside the globe or at zero, as phones without reception write it, is ignored', () => {
  for (const location of ['+99.9+999.9/', '+00.0000+000.0000/'])
    assert.equal(readRecording({ location }).location, undefined)
})
