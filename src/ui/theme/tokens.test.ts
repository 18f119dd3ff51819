import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

type Rgb = readonly [number, number, number]
type Colour = { rgb: Rgb; alpha: number }

const css = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8')
const themes = {
  darkroom: readBlock(/:root,\s*\[data-theme="dark"\] \{([^}]*)\}/),
  print: readBlock(/\n\[data-theme="light"\] \{([^}]*)\}/),
}
const surfaces = ['canvas', 'surface', 'raised', 'overlay']

for (const [name, tokens] of Object.entries(themes)) {
  const colour = (role: string) => parseOklch(tokens.get(role) ?? '')
  const ratio = (front: Colour, back: Rgb) => contrast(over(front, back), back)

  test(`in the ${name}, every text color is readable on every surface`, () => {
    for (const text of ['ink', 'muted', 'faint', 'accent', 'danger', 'success', 'info']) {
      for (const surface of surfaces) {
        assertAtLeast(4.5, ratio(colour(text), colour(surface).rgb), `${text} on ${surface}`)
      }
    }
  })

  test(`in the ${name}, text is readable on a hovered row and on a tinted alert`, () => {
    for (const surface of surfaces) {
      const hovered = over(colour('hover'), colour(surface).rgb)
      for (const text of ['ink', 'muted'])
        assertAtLeast(4.5, ratio(colour(text), hovered), `${text} on hovered ${surface}`)
      for (const tone of ['danger', 'success', 'info']) {
        const tinted = over({ ...colour(tone), alpha: 0.1 }, colour(surface).rgb)
        for (const text of ['ink', 'muted', tone])
          assertAtLeast(4.5, ratio(colour(text), tinted), `${text} on ${tone} tint of ${surface}`)
      }
      for (const button of ['button', 'button-hover']) {
        const filled = over(colour(button), colour(surface).rgb)
        assertAtLeast(4.5, ratio(colour('ink'), filled), `ink on ${button} of ${surface}`)
      }
      const selected = over({ ...colour('accent'), alpha: 0.14 }, colour(surface).rgb)
      for (const text of ['ink', 'muted'])
        assertAtLeast(4.5, ratio(colour(text), selected), `${text} on selected ${surface}`)
    }
  })

  test(`in the ${name}, the label of a filled button is readable, hovered or not`, () => {
    for (const [text, fill] of [
      ['on-accent', 'accent'],
      ['on-accent', 'accent-hover'],
      ['on-danger', 'danger-fill'],
      ['on-danger', 'danger-fill-hover'],
    ] as const) {
      assertAtLeast(4.5, ratio(colour(text), colour(fill).rgb), `${text} on ${fill}`)
    }
  })

  test(`in the ${name}, control borders, fills and the focus ring contrast with every surface`, () => {
    for (const part of ['line-control', 'accent', 'danger', 'danger-fill']) {
      for (const surface of surfaces)
        assertAtLeast(3, ratio(colour(part), colour(surface).rgb), `${part} on ${surface}`)
    }
  })
}

test('both themes define the same tokens', () => {
  const roles = (theme: Map<string, string>) => [...theme.keys()].filter((role) => role !== 'focus').sort()
  assert.deepEqual(roles(themes.print), roles(themes.darkroom))
  assert.equal(themes.darkroom.get('focus'), 'var(--accent)')
})

test('text on the scrim of an image is readable even over white', () => {
  const scrim = parseOklch(/--color-scrim: (.*);/.exec(css)?.[1] ?? '')
  assertAtLeast(4.5, contrast([1, 1, 1], over(scrim, [1, 1, 1])), 'white on scrim over white')
})

function readBlock(pattern: RegExp): Map<string, string> {
  const body = pattern.exec(css)?.[1] ?? ''
  return new Map([...body.matchAll(/--([\w-]+): ([^;]+);/g)].map((match) => [match[1]!, match[2]!]))
}

function parseOklch(text: string): Colour {
  const match = /^oklch\(([\d.]+) ([\d.]+) ([\d.]+)(?: \/ ([\d.]+))?\)$/.exec(text)
  assert.ok(match, `Expected an oklch() colour, received "${text}"`)
  const [lightness, chroma, hue, alpha] = match.slice(1).map((part) => Number(part ?? 1)) as [
    number,
    number,
    number,
    number,
  ]
  return { rgb: toSrgb(lightness, chroma, hue), alpha }
}

/** Björn Ottosson's OKLab matrices; colors outside sRGB are clipped. */
function toSrgb(lightness: number, chroma: number, hueDegrees: number): Rgb {
  const a = chroma * Math.cos((hueDegrees * Math.PI) / 180)
  const b = chroma * Math.sin((hueDegrees * Math.PI) / 180)
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  const encode = (linear: number) => {
    const value = Math.min(1, Math.max(0, linear))
    return value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055
  }
  return [
    encode(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    encode(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    encode(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ]
}

function over({ rgb, alpha }: Colour, back: Rgb): Rgb {
  const mix = (index: 0 | 1 | 2) => rgb[index] * alpha + back[index] * (1 - alpha)
  return [mix(0), mix(1), mix(2)]
}

function contrast(first: Rgb, second: Rgb): number {
  const luminance = (rgb: Rgb) => {
    const [r, g, b] = rgb.map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)) as [
      number,
      number,
      number,
    ]
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const [light, dark] = [luminance(first), luminance(second)].sort((a, b) => b - a) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

function assertAtLeast(least: number, ratio: number, what: string) {
  assert.ok(ratio >= least, `Expected ${what} to reach ${least}:1, received ${ratio.toFixed(2)}:1`)
}
