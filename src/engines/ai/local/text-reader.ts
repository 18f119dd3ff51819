import { type Box, cropPicture, type Picture, resizePicture, turnPicture } from '../picture.ts'
import type { Model } from './runtime.ts'
import { findTextRegions } from './text-regions.ts'

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
