import { type Hsl, nameHue, toHsl } from '#shared/hsl.ts'
import { type Picture, resizePicture } from '../picture.ts'

export type ColourReading = {
  /** Names of the colours that cover at least 15% of the picture, largest first. */
  dominant: string[]
  /** Mean brightness, 0 to 1. */
  brightness: number
  tone: 'colour' | 'grey' | 'sepia'
  pixels: Hsl[]
}

/** Pictures are judged on a grid of this many points a side. */
export const colourGrid = 64
const smallestShare = 0.15

export async function readColours(picture: Picture): Promise<ColourReading> {
  const { data } = await resizePicture(picture, { width: colourGrid, height: colourGrid })
  const pixels: Hsl[] = []
  const shares = new Map<string, number>()
  let brightness = 0
  for (let index = 0; index < data.length; index += 3) {
    const [red, green, blue] = [data[index]! / 255, data[index + 1]! / 255, data[index + 2]! / 255]
    const pixel = toHsl(red, green, blue)
    pixels.push(pixel)
    brightness += 0.2126 * red + 0.7152 * green + 0.0722 * blue
    const name = nameColour(pixel)
    shares.set(name, (shares.get(name) ?? 0) + 1 / colourGrid ** 2)
  }
  const dominant = [...shares].filter(([, share]) => share >= smallestShare).sort(([, a], [, b]) => b - a)
  return {
    dominant: dominant.slice(0, 3).map(([name]) => name),
    brightness: brightness / pixels.length,
    tone: judgeTone(pixels),
    pixels,
  }
}

export function nameColour({ hue, chroma, lightness }: Hsl): string {
  if (lightness < 0.12) return 'black'
  if (lightness > 0.92 && chroma < 0.12) return 'white'
  if (chroma < 0.1) return lightness < 0.35 ? 'dark grey' : lightness > 0.75 ? 'light grey' : 'grey'
  const name = nameHue({ hue, chroma, lightness })
  return name === 'red' && lightness < 0.3 ? 'brown' : name
}

/** Sepia: everything has a little colour, and all of it lies in one narrow warm band of hues. */
function judgeTone(pixels: Hsl[]): ColourReading['tone'] {
  const meanChroma = pixels.reduce((sum, { chroma }) => sum + chroma, 0) / pixels.length
  if (meanChroma < 0.015) return 'grey'
  const tinted = pixels.filter(({ chroma }) => chroma > 0.04).map(({ hue }) => hue)
  if (meanChroma > 0.25 || tinted.length < pixels.length * 0.95) return 'colour'
  tinted.sort((a, b) => a - b)
  const [first, last] = [tinted[Math.floor(tinted.length * 0.02)]!, tinted[Math.floor(tinted.length * 0.98)]!]
  return first >= 20 && last <= 60 && last - first <= 18 ? 'sepia' : 'colour'
}

/**
 * What the classifier is blind for and colour alone can tell with some safety. Each rule wants a gradient or a texture
 * besides its colour, so that a painted wall or a studio background does not become a landscape.
 */
export function findScenes(pixels: Hsl[]): string[] {
  const rows = Array.from({ length: colourGrid }, (_, row) => pixels.slice(row * colourGrid, (row + 1) * colourGrid))
  const top = rows.slice(0, Math.round(colourGrid * 0.3)).flat()
  const bottom = rows.slice(Math.round(colourGrid * 0.6)).flat()
  const scenes: string[] = []
  if (isSky(rows, top, bottom)) scenes.push('sky')
  if (isGreenery(pixels)) scenes.push('greenery')
  if (isOnWhite(rows)) scenes.push('white background')
  return scenes
}

const isWhite = ({ chroma, lightness }: Hsl) => lightness > 0.92 && chroma < 0.1

/** A product or a drawing: white all around, and something else in the middle. */
function isOnWhite(rows: Hsl[][]): boolean {
  const edges = [rows[0]!, rows.at(-1)!, rows.map((row) => row[0]!), rows.map((row) => row.at(-1)!)]
  return edges.every((edge) => shareOf(edge, isWhite) > 0.7) && shareOf(rows.flat(), isWhite) < 0.95
}

const shareOf = (pixels: Hsl[], test: (pixel: Hsl) => boolean) => pixels.filter(test).length / pixels.length

const isSkyBlue = ({ hue, chroma, lightness }: Hsl) =>
  hue >= 190 && hue <= 235 && chroma > 0.12 && lightness > 0.4 && lightness < 0.93

/** Blue above, smooth, growing paler towards the horizon; and something else, with structure, below. */
function isSky(rows: Hsl[][], top: Hsl[], bottom: Hsl[]): boolean {
  if (shareOf(top, isSkyBlue) < 0.75 || shareOf(bottom, isSkyBlue) > 0.4) return false
  const meanLightness = (row: Hsl[]) => row.reduce((sum, { lightness }) => sum + lightness, 0) / row.length
  const zenith = meanLightness(rows[1]!)
  const horizon = meanLightness(rows[Math.round(colourGrid * 0.28)]!)
  return horizon - zenith > 0.015 && roughness(top) < 0.03 && roughness(bottom) > 0.03
}

const isLeafGreen = ({ hue, chroma, lightness }: Hsl) =>
  hue >= 62 && hue <= 160 && chroma > 0.08 && lightness > 0.08 && lightness < 0.75

/** One colour all over, from which the networks would still guess a sky or a drawing. */
export function isBlank(pixels: Hsl[]): boolean {
  const [first] = pixels
  return pixels.every(
    ({ chroma, lightness }) => Math.abs(chroma - first!.chroma) < 0.03 && Math.abs(lightness - first!.lightness) < 0.03,
  )
}

/** Leaves and grass: much green of many shades, side by side. */
function isGreenery(pixels: Hsl[]): boolean {
  const green = pixels.filter(isLeafGreen)
  return green.length > pixels.length * 0.4 && roughness(pixels) > 0.03
}

/** Mean difference in lightness between neighbours: under 0.02 for a sky, over 0.05 for leaves. */
function roughness(pixels: Hsl[]): number {
  let sum = 0
  let count = 0
  for (let index = 1; index < pixels.length; index++) {
    if (index % colourGrid === 0) continue
    sum += Math.abs(pixels[index]!.lightness - pixels[index - 1]!.lightness)
    count++
  }
  return sum / count
}
