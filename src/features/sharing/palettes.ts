import { contrastOf } from '#features/collections/colour-contrast.ts'

/** Colors for a public page, in which text and accent are readable on the background. */
export type Palette = { name: string; backgroundColor: string; textColor: string; accentColor: string }

type Rgb = readonly [number, number, number]

const white: Rgb = [255, 255, 255]
const black: Rgb = [0, 0, 0]
/** WCAG: 7 is easy to read, and 4.5 is enough for an accent, also as text of a link. */
const textContrast = 7
const accentContrast = 4.5
/** Colors with less are shades of gray. */
const minChroma = 24
const hueNames = ['red', 'orange', 'yellow', 'green', 'green', 'teal', 'cyan', 'blue', 'blue', 'purple', 'pink', 'pink']

/** A light and a dark palette for each of the two strongest hues among these colors. */
export function suggestPalettes(colours: readonly string[]): Palette[] {
  return strongestColours(colours.map(parse)).flatMap((colour) => [lightPalette(colour), darkPalette(colour)])
}

const hueCount = 2

/** One color for each of the strongest hues, or a gray if there is no other color. */
function strongestColours(colours: Rgb[]): Rgb[] {
  const byName = Map.groupBy(
    colours.filter((colour) => chromaOf(colour) >= minChroma),
    nameOf,
  )
  const hues = [...byName.values()].sort((one, other) => totalChroma(other) - totalChroma(one))
  if (hues.length === 0) return colours.slice(0, 1)
  return hues.slice(0, hueCount).map(middleOf)
}

const totalChroma = (colours: Rgb[]) => colours.reduce((sum, colour) => sum + chromaOf(colour), 0)

/** Neither the palest nor the brightest one. */
const middleOf = (colours: Rgb[]) =>
  colours.toSorted((one, other) => chromaOf(one) - chromaOf(other))[Math.floor(colours.length / 2)]!

function lightPalette(colour: Rgb): Palette {
  const background = mix(colour, white, 0.94)
  return palette(`Light ${nameOf(colour)}`, background, colour, black, 0.75)
}

function darkPalette(colour: Rgb): Palette {
  const background = mix(colour, black, 0.86)
  return palette(`Dark ${nameOf(colour)}`, background, colour, white, 0.88)
}

function palette(name: string, background: Rgb, colour: Rgb, ink: Rgb, inkShare: number): Palette {
  const backgroundColor = format(background)
  return {
    name,
    backgroundColor,
    textColor: untilReadable(backgroundColor, colour, ink, { from: inkShare, contrast: textContrast }),
    accentColor: untilReadable(backgroundColor, colour, ink, { from: 0, contrast: accentContrast }),
  }
}

/** Adds black or white to the color, just enough to read it on the background. */
function untilReadable(
  background: string,
  colour: Rgb,
  ink: Rgb,
  { from, contrast }: { from: number; contrast: number },
) {
  for (let share = from; share < 1; share += 0.04) {
    const mixed = format(mix(colour, ink, share))
    if (contrastOf(background, mixed) >= contrast) return mixed
  }
  return format(ink)
}

const mix = (colour: Rgb, other: Rgb, share: number): Rgb => [
  colour[0] + (other[0] - colour[0]) * share,
  colour[1] + (other[1] - colour[1]) * share,
  colour[2] + (other[2] - colour[2]) * share,
]

const chromaOf = (colour: Rgb) => Math.max(...colour) - Math.min(...colour)

function nameOf(colour: Rgb): string {
  const chroma = chromaOf(colour)
  if (chroma < minChroma) return 'gray'
  const [red, green, blue] = colour
  const most = Math.max(...colour)
  const sixth =
    most === red ? (green - blue) / chroma : most === green ? 2 + (blue - red) / chroma : 4 + (red - green) / chroma
  return hueNames[Math.round(((sixth + 6) % 6) * 2) % hueNames.length]!
}

const parse = (colour: string): Rgb => [byteAt(colour, 1), byteAt(colour, 3), byteAt(colour, 5)]
const byteAt = (colour: string, at: number) => Number.parseInt(colour.slice(at, at + 2), 16)

const format = (colour: Rgb) => `#${colour.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`
