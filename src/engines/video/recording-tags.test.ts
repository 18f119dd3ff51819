import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readRecording } from './recording-tags.ts'

test('date and place of a phone video are read', () => {
  const tags = {
    creation_time: '2024-05-01T10:00:00.000000Z',
    'com.apple.quicktime.creationdate': '2024-05-01T12:00:00+0200',
    'com.apple.quicktime.location.ISO6709': '+48.8577+002.2950+035.000/',
  }
  assert.deepEqual(readRecording(tags, ['avc1', 'mp4a']), {
    takenAt: '2024-05-01T12:00:00+02:00',
    hasLocation: true,
    location: { latitude: 48.8577, longitude: 2.295 },
  })
})

test('the date of a camera without a clock is no date', () => {
  for (const creation_time of ['1904-01-01T00:00:00Z', '1970-01-01T00:00:00Z', 'yesterday', '2024-99-01T00:00:00Z'])
    assert.equal(readRecording({ creation_time }, []).takenAt, undefined)
})

test('a path recorded in a track of its own counts as a location', () => {
  assert.equal(readRecording({}, ['avc1', 'gpmd']).hasLocation, true)
  assert.equal(readRecording({}, ['avc1', 'mp4a']).hasLocation, false)
})

test('a place that cannot be read still counts as a location', () => {
  const recording = readRecording({ location: '+99.9+999.9/' }, [])
  assert.deepEqual([recording.hasLocation, recording.location], [true, undefined])
})
