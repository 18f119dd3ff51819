import assert from 'node:assert/strict'
import { test } from 'node:test'
import { playableAs, type Tracks } from './playable.ts'

const phoneClip: Tracks = {
  container: 'mp4',
  videoCodec: 'h264',
  pixelFormat: 'yuv420p',
  isHdr: false,
  audioCodec: 'aac',
}

test('H.264 with AAC, MP3 or no sound in MP4 is served as it is', () => {
  for (const audioCodec of ['aac', 'mp3', null]) assert.equal(playableAs({ ...phoneClip, audioCodec }), 'as-is')
})

test('the same tracks in MOV only change their container', () => {
  assert.equal(playableAs({ ...phoneClip, container: 'mov' }), 'remux')
})

test('a playable picture with camera sound keeps its picture', () => {
  assert.equal(playableAs({ ...phoneClip, container: 'mov', audioCodec: 'pcm_s16le' }), 'remux')
})

test('what browsers cannot decode is transcoded', () => {
  for (const videoCodec of ['hevc', 'prores', 'mjpeg', 'dvvideo', 'av1'])
    assert.equal(playableAs({ ...phoneClip, videoCodec }), 'transcode')
  assert.equal(playableAs({ ...phoneClip, pixelFormat: 'yuv420p10le' }), 'transcode')
  assert.equal(playableAs({ ...phoneClip, isHdr: true }), 'transcode')
  assert.equal(playableAs({ ...phoneClip, container: 'avi' }), 'transcode')
})

test('VP9 in MP4 is served as it is', () => {
  assert.equal(playableAs({ ...phoneClip, videoCodec: 'vp9' }), 'as-is')
})
