import { nameHue, toHsl } from '#shared/hsl.ts'
import type { ColorName } from '../../search-query.ts'

/** The names that people call the dominant colors of a picture, which are stored as "#6b7f94". */
export function colorNamesOf(colors: string[]): ColorName[] {
  return [...new Set(colors.map(colorNameOf).filter((name) => name !== undefined))]
}

function colorNameOf(code: string): ColorName | undefined {
  const found = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})/i.exec(code)
  if (!found) return undefined
  const [red, green, blue] = found.slice(1).map((part) => Number.parseInt(part, 16) / 255) as [number, number, number]
  const color = toHsl(red, green, blue)
  const { chroma, lightness } = color
  if (lightness < 0.12) return 'black'
  if (lightness > 0.9 && chroma < 0.12) return 'white'
  if (chroma < 0.1) return 'gray'
  const name = nameHue(color)
  if (name === 'red' && lightness < 0.2) return 'brown'
  return name === 'red' && lightness > 0.7 ? 'pink' : name
}
