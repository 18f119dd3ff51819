import type { ColorName } from '../../search-query.ts'

/** The names that people call the dominant colors of a picture, which are stored as "#6b7f94". */
export function colorNamesOf(colors: string[]): ColorName[] {
  return [...new Set(colors.map(colorNameOf).filter((name) => name !== undefined))]
}

/** Upper ends of the hues, in degrees. */
const hues: [end: number, name: ColorName][] = [
  [15, 'red'],
  [42, 'orange'],
  [68, 'yellow'],
  [165, 'green'],
  [195, 'teal'],
  [255, 'blue'],
  [290, 'purple'],
  [345, 'pink'],
  [361, 'red'],
]

function colorNameOf(color: string): ColorName | undefined {
  const found = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})/i.exec(color)
  if (!found) return undefined
  const [red, green, blue] = found.slice(1).map((part) => Number.parseInt(part, 16) / 255) as [number, number, number]
  const [highest, lowest] = [Math.max(red, green, blue), Math.min(red, green, blue)]
  const chroma = highest - lowest
  const lightness = (highest + lowest) / 2
  if (lightness < 0.12) return 'black'
  if (lightness > 0.9 && chroma < 0.12) return 'white'
  if (chroma < 0.1) return 'gray'
  const hue = hueOf(red, green, blue, highest, chroma)
  const name = hues.find(([end]) => hue < end)?.[1] ?? 'red'
  const saturation = chroma / (1 - Math.abs(2 * lightness - 1))
  // Dark or pale orange is what people call brown.
  if (name === 'orange' && (lightness < 0.4 || saturation < 0.45)) return 'brown'
  if (name === 'red' && lightness < 0.2) return 'brown'
  if (name === 'red' && lightness > 0.7) return 'pink'
  return name
}

function hueOf(red: number, green: number, blue: number, highest: number, chroma: number) {
  if (highest === red) return 60 * (((green - blue) / chroma + 6) % 6)
  if (highest === green) return 60 * ((blue - red) / chroma + 2)
  return 60 * ((red - green) / chroma + 4)
}
