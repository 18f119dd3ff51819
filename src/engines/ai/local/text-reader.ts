import { type Box, cropPicture, type Picture, resizePicture, turnPicture } from '../picture.ts'
import type { Model } from './runtime.ts'

export type TextReading = {
  /** Lines in reading order. */
  lines: string[]
  /** Share of the picture that text covers, 0 to 1. */
  coverage: number
}

/** The English recogniser's classes: nothing, then PaddleOCR's alphabet in its order, then a second space. */
const alphabet = [
  '',
  ...'0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~!"#$%&\'()*+,-./ ',
  ' ',
]

const lineHeight = 48
const longestLine = 1280
const mostRegions = 60
const lowestConfidence = 0.7
/** A region this much taller than wide is a line that runs from top to bottom. */
const uprightRatio = 1.8

type Line = { text: string; box: Box }

export async function readText(detector: Model, recogniser: Model, picture: Picture): Promise<TextReading> {
  const regions = (await findTextRegions(detector, picture)).sort((a, b) => a.top - b.top).slice(0, mostRegions)
  const lines: Line[] = []
  let covered = 0
  for (const box of regions) {
    covered += box.width * box.height
    const { text, confidence } = await recognise(recogniser, await cropLine(picture, box))
    if (text.length >= 2 && confidence > lowestConfidence) lines.push({ text, box })
  }
  return { lines: inReadingOrder(lines), coverage: covered / (picture.width * picture.height) }
}

async function cropLine(picture: Picture, box: Box): Promise<Picture> {
  const crop = await cropPicture(picture, box)
  const line = box.height > box.width * uprightRatio ? await turnPicture(crop) : crop
  const width = Math.min(longestLine, Math.max(lineHeight, Math.ceil((line.width / line.height) * lineHeight)))
  return resizePicture(line, { width, height: lineHeight })
}

async function recognise(model: Model, line: Picture) {
  const count = line.width * line.height
  const planes = new Float32Array(3 * count)
  for (let channel = 0; channel < 3; channel++) {
    for (let pixel = 0; pixel < count; pixel++) {
      planes[channel * count + pixel] = line.data[pixel * 3 + 2 - channel]! / 127.5 - 1
    }
  }
  const output = await model.run({
    [model.inputNames[0]!]: { type: 'float32', data: planes, dims: [1, 3, line.height, line.width] },
  })
  const { data, dims } = output[model.outputNames[0]!]!
  return decode(data, dims[2]!)
}

/** The best class at each step; the same class twice in a row is one letter, class 0 separates. */
export function decode(scores: Float32Array, classes: number): { text: string; confidence: number } {
  let text = ''
  let confidence = 0
  let letters = 0
  let last = 0
  for (let step = 0; step < scores.length; step += classes) {
    let best = 0
    for (let index = 1; index < classes; index++) {
      if (scores[step + index]! > scores[step + best]!) best = index
    }
    if (best !== 0 && best !== last) {
      text += alphabet[best] ?? ''
      confidence += scores[step + best]!
      letters++
    }
    last = best
  }
  return { text: text.trim().replace(/\s+/g, ' '), confidence: letters > 0 ? confidence / letters : 0 }
}

/**
 * From top to bottom; what stands on one height belongs to one row and is read from left to right. Neighbours with no
 * more than a letter's space between them are one line, though the detector saw them apart.
 */
export function inReadingOrder(lines: Line[]): string[] {
  const middle = ({ box }: Line) => box.top + box.height / 2
  const rows: Line[][] = []
  for (const line of lines.toSorted((a, b) => middle(a) - middle(b))) {
    const row = rows.at(-1)
    const isSameRow = row && middle(line) - middle(row[0]!) < Math.min(line.box.height, row[0]!.box.height) / 2
    if (isSameRow) row.push(line)
    else rows.push([line])
  }
  return rows.flatMap(joinNeighbours)
}

function joinNeighbours(row: Line[]): string[] {
  const texts: string[] = []
  let end = -Infinity
  for (const { text, box } of row.toSorted((a, b) => a.box.left - b.box.left)) {
    const isNeighbour = box.left - end < box.height * 0.7
    if (isNeighbour) texts.push(`${texts.pop()} ${text}`)
    else texts.push(text)
    end = box.left + box.width
  }
  return texts
}

const longestEdge = 960
const inkThreshold = 0.3
const regionThreshold = 0.6
const fewestPixels = 12
/** The network paints a text's core; its outline lies this much further out, relative to area and circumference. */
const unclipRatio = 1.6
const mean = [0.485, 0.456, 0.406]
const deviation = [0.229, 0.224, 0.225]

/** Where there is text, as boxes in the picture's own pixels. */
async function findTextRegions(model: Model, picture: Picture): Promise<Box[]> {
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
