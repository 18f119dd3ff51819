/** Hue in degrees; chroma and lightness from 0 to 1. */
export type Hsl = { hue: number; chroma: number; lightness: number }

/** Of three parts from 0 to 1. */
export function toHsl(red: number, green: number, blue: number): Hsl {
  const highest = Math.max(red, green, blue)
  const lowest = Math.min(red, green, blue)
  const chroma = highest - lowest
  const lightness = (highest + lowest) / 2
  if (chroma === 0) return { hue: 0, chroma, lightness }
  if (highest === red) return { hue: 60 * (((green - blue) / chroma + 6) % 6), chroma, lightness }
  if (highest === green) return { hue: 60 * ((blue - red) / chroma + 2), chroma, lightness }
  return { hue: 60 * ((red - green) / chroma + 4), chroma, lightness }
}

/** Upper ends of the hues, in degrees, by the words that people use. */
const hues = [
  [15, 'red'],
  [42, 'orange'],
  [68, 'yellow'],
  [165, 'green'],
  [195, 'teal'],
  [255, 'blue'],
  [290, 'purple'],
  [345, 'pink'],
  [361, 'red'],
] as const

/** The word for a color that is neither black, white nor gray. */
export function nameHue({ hue, chroma, lightness }: Hsl) {
  const name = hues.find(([end]) => hue < end)?.[1] ?? 'red'
  const saturation = chroma / (1 - Math.abs(2 * lightness - 1))
  // Dark or pale orange is what people call brown.
  return name === 'orange' && (lightness < 0.4 || saturation < 0.45) ? 'brown' : name
}
