import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { coverCrop } from '#shared/cover-crop.ts'
import { loadPicture } from '../picture.ts'
import { modelsForTests, samplesForTests } from '../testing/models-for-tests.ts'
import { analyzePicture } from './analyze-frame.ts'
import { certainFaces, findFaces } from './faces.ts'
import { focusOnSaliency, focusOnSubject } from './focal-point.ts'
import { openModels } from './models.ts'

const evaluation = join(import.meta.dirname, '../../../../evaluation/pictures')
const box = (left: number, top: number, right: number, bottom: number) => ({ left, top, right, bottom })
const detected = (label: string, corners: ReturnType<typeof box>, score = 0.9) => ({
  label,
  score,
  corners,
  area: (corners.right - corners.left) * (corners.bottom - corners.top),
})
const near = (actual: { x: number; y: number } | null | undefined, x: number, y: number) =>
  assert.ok(actual && Math.hypot(actual.x - x, actual.y - y) < 1e-6, `${JSON.stringify(actual)} is not ${x}, ${y}`)

test('the focal point is the middle of the large faces, although more was detected', () => {
  const faces = [box(0.1, 0.2, 0.3, 0.4), box(0.5, 0.2, 0.7, 0.4), box(0.95, 0.9, 0.97, 0.92)]
  const dog = detected('dog', box(0, 0.5, 1, 1))
  near(
    focusOnSubject(
      faces.map((corners) => ({ corners, score: 0.9 })),
      [dog],
    ),
    0.4,
    0.3,
  )
})

test("of a person who looks away the focal point is the head, and of an animal the animal's middle", () => {
  near(focusOnSubject([], [detected('person', box(0.4, 0.1, 0.6, 1))]), 0.5, 0.2)
  near(focusOnSubject([], [detected('cat', box(0.2, 0.4, 0.6, 0.8)), detected('couch', box(0, 0, 1, 1))]), 0.4, 0.6)
  assert.equal(focusOnSubject([], [detected('cat', box(0.2, 0.4, 0.6, 0.8), 0.4)]), undefined)
})

test('where nothing stands out there is no focal point', () => {
  const data = new Uint8Array(100)
  assert.equal(focusOnSaliency({ data, width: 10, height: 10 }), null)
  data[73] = 250
  near(focusOnSaliency({ data, width: 10, height: 10 }), 0.35, 0.75)
})

test('a doubtful face counts only on a person', () => {
  const face = { score: 0.6, corners: box(0.4, 0.1, 0.5, 0.2) }
  assert.deepEqual(certainFaces([face], []), [])
  assert.deepEqual(certainFaces([face], [detected('person', box(0.3, 0, 0.6, 1), 0.4)]), [face])
})

const counts: [name: string, isOfPeople: boolean, faces: number][] = [
  ['three-men', true, 3],
  ['couple-in-a-bar', true, 3],
  ['astronaut', true, 1],
  ['old-woman', true, 1],
  ['welder', true, 1],
  ['mona-lisa', false, 1],
  ['bee-on-aster', false, 0],
  ['hibiscus', false, 0],
  ['singapore-at-night', false, 0],
  ['tabby-cat', false, 0],
]
for (const [name, isOfPeople, faces] of counts) {
  test(`"${name}" has ${faces} faces`, async () => {
    const model = await openModels(await modelsForTests()).faceDetector()
    const found = await findFaces(model!, await loadPicture(join(evaluation, `${name}.jpg`)))
    const detections = isOfPeople ? [detected('person', box(0, 0, 1, 1))] : []
    assert.equal(certainFaces(found, detections).length, faces)
  })
}

/** Boxes of the heads or main subjects, by eye. */
const subjects: [name: string, head: ReturnType<typeof box>][] = [
  ['three-men', box(0.18, 0.08, 0.88, 0.44)],
  ['woman-on-the-beach', box(0.36, 0.24, 0.58, 0.39)],
  ['cyclist', box(0.42, 0.17, 0.5, 0.26)],
  ['welder', box(0.37, 0.17, 0.55, 0.37)],
  ['lonely-cabin', box(0.5, 0.28, 0.95, 0.62)],
  ['garden-rock', box(0.15, 0.28, 0.6, 0.75)],
]
for (const [name, head] of subjects) {
  test(`a square cut from "${name}" and a wide strip of it show the subject that the models found`, async () => {
    const picture = await loadPicture(join(evaluation, `${name}.jpg`))
    const { focalPoint } = await analyzePicture(openModels(await modelsForTests()), picture)
    for (const target of [
      { width: 1, height: 1 },
      { width: 16, height: 9 },
    ]) {
      const crop = coverCrop(picture, target, focalPoint)
      const [x, y] = [((head.left + head.right) / 2) * picture.width, ((head.top + head.bottom) / 2) * picture.height]
      const isInside = x > crop.left && x < crop.left + crop.width && y > crop.top && y < crop.top + crop.height
      assert.ok(isInside, `${JSON.stringify({ focalPoint, crop })}`)
    }
  })
}

test('without the optional models a photograph is analyzed as before', async () => {
  const models = openModels(await modelsForTests())
  const without = { ...models, faceDetector: async () => null, saliency: async () => null }
  const { photograph } = await samplesForTests()
  const { tags, focalPoint } = await analyzePicture(without, await loadPicture(photograph('mountains')))
  assert.ok(tags.some(({ name }) => name === 'mountain'))
  assert.equal(focalPoint, null)
})
