import { type Box, type Picture, resizePicture } from '../picture.ts'
import type { Model } from './runtime.ts'

const longestEdge = 960
const inkThreshold = 0.3
const regionThreshold = 0.6
const fewestPixels = 12
/** The network paints a text's core; its outline lies this much further out, relative to area and circumference. */
const unclipRatio = 1.6
const mean = [0.485, 0.456, 0.406]
const deviation = [0.229, 0.224, 0.225]

/** Where there is text, as boxes in the picture's own pixels. */
export async function findTextRegions(model: Model, picture: Picture): Promise<Box[]> {
  const size = fitToGrid(picture)
  const { data } = await resizePicture(picture, size)
  const input = model.inputNames[0]!
  const output = model.outputNames[0]!
  const result = await model.run({
    [input]: { type: 'float32', data: normalise(data), dims: [1, 3, size.height, size.width] },
  })
  const scaleX = picture.width / size.width
  const scaleY = picture.height / size.height
  return traceRegions(result[output]!.data, size.width, size.height).flatMap((region) => {
    const left = Math.max(0, Math.round(region.left * scaleX))
    const top = Math.max(0, Math.round(region.top * scaleY))
    const width = Math.min(picture.width, Math.round(region.right * scaleX)) - left
    const height = Math.min(picture.height, Math.round(region.bottom * scaleY)) - top
    return width >= 6 && height >= 6 ? [{ left, top, width, height }] : []
  })
}

/** The network halves its input five times, so both edges are multiples of 32. */
function fitToGrid({ width, height }: Picture) {
  const scale = Math.min(1, longestEdge / Math.max(width, height))
  const toGrid = (edge: number) => Math.max(32, Math.round((edge * scale) / 32) * 32)
  return { width: toGrid(width), height: toGrid(height) }
}

/** Planes in the order blue, green, red: PaddleOCR was trained on OpenCV's pictures. */
function normalise(pixels: Uint8Array): Float32Array {
  const count = pixels.length / 3
  const planes = new Float32Array(pixels.length)
  for (let channel = 0; channel < 3; channel++) {
    for (let pixel = 0; pixel < count; pixel++) {
      const value = pixels[pixel * 3 + 2 - channel]! / 255
      planes[channel * count + pixel] = (value - mean[channel]!) / deviation[channel]!
    }
  }
  return planes
}

type Region = { left: number; top: number; right: number; bottom: number }

/** Connected areas of ink, each widened to its text's outline. */
function traceRegions(ink: Float32Array, width: number, height: number): Region[] {
  const isSeen = new Uint8Array(width * height)
  const stack = new Int32Array(width * height)
  const regions: Region[] = []

  for (let start = 0; start < ink.length; start++) {
    if (isSeen[start] || ink[start]! < inkThreshold) continue
    let depth = 0
    const visit = (pixel: number) => {
      if (isSeen[pixel] || ink[pixel]! < inkThreshold) return
      isSeen[pixel] = 1
      stack[depth++] = pixel
    }
    visit(start)
    let [left, right, top, bottom, count, sum] = [width, 0, height, 0, 0, 0]
    while (depth > 0) {
      const pixel = stack[--depth]!
      const x = pixel % width
      const y = Math.floor(pixel / width)
      count++
      sum += ink[pixel]!
      left = Math.min(left, x)
      right = Math.max(right, x)
      top = Math.min(top, y)
      bottom = Math.max(bottom, y)
      if (x > 0) visit(pixel - 1)
      if (x < width - 1) visit(pixel + 1)
      if (y > 0) visit(pixel - width)
      if (y < height - 1) visit(pixel + width)
    }
    const boxWidth = right - left + 1
    const boxHeight = bottom - top + 1
    if (count < fewestPixels || Math.min(boxWidth, boxHeight) < 3 || sum / count < regionThreshold) continue
    const margin = (boxWidth * boxHeight * unclipRatio) / (2 * (boxWidth + boxHeight))
    regions.push({ left: left - margin, top: top - margin, right: right + margin, bottom: bottom + margin })
  }
  return regions
}
