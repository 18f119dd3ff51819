/** Contrast by WCAG 2: 1 (none) to 21. Colors are `#rgb` or `#rrggbb`; transparency is ignored. */
export function contrastOf(first: string, second: string) {
  const [darker, lighter] = [luminanceOf(first), luminanceOf(second)].sort((a, b) => a - b) as [number, number]
  return (lighter + 0.05) / (darker + 0.05)
}

/** Black or white, whichever is easier to read on the color. */
export function inkOn(colour: string): '#000000' | '#ffffff' {
  return contrastOf(colour, '#000000') >= contrastOf(colour, '#ffffff') ? '#000000' : '#ffffff'
}

export const isDark = (colour: string) => inkOn(colour) === '#ffffff'

function luminanceOf(colour: string) {
  const digits = colour.replace('#', '')
  const pairs = digits.length < 6 ? [...digits].map((digit) => digit + digit) : (digits.match(/../g) ?? [])
  const [red = 0, green = 0, blue = 0] = pairs.map((pair) => linear(Number.parseInt(pair, 16) / 255))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const linear = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
