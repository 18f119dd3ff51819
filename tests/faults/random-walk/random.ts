import sharp from 'sharp'

export type Random = ReturnType<typeof createRandom>

/** The same seed gives the same walk, except for the timing of concurrent actions. */
export function createRandom(seed: number) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (count: number) => Math.floor(next() * count)
  const pick = <T>(list: readonly T[]): T => list[below(list.length)]!
  return {
    below,
    pick,
    chance: (share: number) => next() < share,
    /** One or more of them, each once, in any order. */
    some<T>(list: readonly T[], most = 6): T[] {
      const left = [...list]
      const count = Math.min(left.length, 1 + below(most))
      return Array.from({ length: count }, () => left.splice(below(left.length), 1)[0]!)
    },
    word: () => pick(words),
    /** For an actor who acts at the same time: what one draws changes nothing for the others. */
    fork: () => createRandom(below(2 ** 32)),
  }
}

const syllables = ['ka', 'lo', 'mi', 'ré', 'fu', 'ta', 'no', 'pü', 'sø', 'vi']
/** Few words, so that names, tags, descriptions and collections share them; some with accents. */
export const words = Array.from({ length: 40 }, (_, index) =>
  [index % 10, Math.floor(index / 4), (index * 7 + 3) % 10].map((at) => syllables[at]).join(''),
)

const width = 48
const height = 32

/** A picture with distinct colors in its four corners, so that its thumbnail can be identified. */
export async function drawPicture(random: Random) {
  const corners = Array.from({ length: 12 }, () => 30 + random.below(190))
  const pixels = Buffer.alloc(width * height * 3)
  for (let index = 0; index < pixels.length; index++) {
    const [pixel, channel] = [Math.floor(index / 3), index % 3]
    const [right, down] = [(pixel % width) / width, Math.floor(pixel / width) / height]
    const [a, b, c, d] = [0, 3, 6, 9].map((corner) => corners[corner + channel]!) as [number, number, number, number]
    const ramp = (a * (1 - right) + b * right) * (1 - down) + (c * (1 - right) + d * right) * down
    pixels[index] = ramp + random.below(30)
  }
  const picture = sharp(pixels, { raw: { width, height, channels: 3 } })
  return random.chance(0.5)
    ? { extension: 'jpg', bytes: await picture.jpeg({ quality: 95 }).toBuffer() }
    : { extension: 'png', bytes: await picture.png().toBuffer() }
}

/** A tiny version of a picture, for comparing two. */
export async function looksOf(bytes: Uint8Array) {
  return [...(await sharp(bytes).removeAlpha().resize(4, 3, { fit: 'fill' }).raw().toBuffer())]
}

export const areAlike = (one: readonly number[], other: readonly number[]) =>
  one.reduce((sum, value, index) => sum + Math.abs(value - other[index]!), 0) / one.length < 12
