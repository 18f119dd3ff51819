import { colourGrid, type Hsl } from './colours.ts'

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
  return scenes
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
