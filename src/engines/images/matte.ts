/** RGB, three bytes a pixel. */
export type RgbPicture = { data: Uint8Array; width: number; height: number }

/** How far, in points of the mask, the picture around a point tells whether it belongs to the subject. */
const edgeRadius = 5
/** The variance of color below which an edge is not worth following. */
const smoothness = 2e-4
/** The same for the mean colors of the subject and of the background next to it. */
const colourRadius = 9
/** Below and above, a pixel is wholly background or wholly subject: the mask is never quite sure. */
const background = 0.25
const subject = 0.6

/**
 * [Note: A mask follows the picture]
 * The mask of a model is about 320 points wide. Around each point it is told as a linear function of the color (a guided
 * filter), which is then applied to the full picture, so that the cut follows its edges. A pixel that is partly background
 * loses that part of its color too, which would shine as a rim on another background.
 *
 * `small` is the picture at the size of the mask. The result is RGBA.
 */
export function cutOut(picture: RgbPicture, small: RgbPicture, mask: Uint8Array): Uint8Array {
  const { data, width, height } = picture
  const shares = stretch(mask)
  const planes = [...followEdges(small, shares), ...meanColours(small, shares), ...meanColours(small, inverted(shares))]
  const columns = neighbours(width, small.width)
  const rows = neighbours(height, small.height)
  const far = farFromSubject(small, shares)
  const result = new Uint8Array(width * height * 4)
  const row = planes.map(() => new Float32Array(small.width))
  const [byRed, byGreen, byBlue, constant, ...sides] = row as [Float32Array, Float32Array, Float32Array, Float32Array]
  for (let y = 0; y < height; y++) {
    blendRows(planes, row, { width: small.width, first: rows.first[y]!, part: rows.part[y]! })
    for (let x = 0; x < width; x++) {
      const column = columns.first[x]!
      if (far[rows.first[y]! * small.width + column]) continue
      const part = columns.part[x]!
      const from = (y * width + x) * 3
      const share =
        between(byRed, column, part) * data[from]! +
        between(byGreen, column, part) * data[from + 1]! +
        between(byBlue, column, part) * data[from + 2]! +
        between(constant, column, part)
      const alpha = Math.min(1, Math.max(0, (share - background) / (subject - background)))
      if (alpha === 0) continue
      const to = (y * width + x) * 4
      result[to + 3] = Math.round(alpha * 255)
      for (let channel = 0; channel < 3; channel++) {
        const value = data[from + channel]!
        if (alpha === 1) result[to + channel] = value
        else {
          const front = between(sides[channel]!, column, part)
          const back = between(sides[channel + 3]!, column, part)
          const own = front + alpha * (value - alpha * front - (1 - alpha) * back)
          result[to + channel] = Math.min(255, Math.max(0, Math.round(own)))
        }
      }
    }
  }
  return result
}

/** From 0 for what stands out least to 1 for what stands out most. */
function stretch(mask: Uint8Array): Float32Array {
  let [lowest, highest] = [255, 0]
  for (const value of mask) {
    lowest = Math.min(lowest, value)
    highest = Math.max(highest, value)
  }
  const range = Math.max(1, highest - lowest)
  return Float32Array.from(mask, (value) => (value - lowest) / range)
}

/** Where the mask is empty all around, so that most of a picture need not be computed. */
function farFromSubject(size: Size, shares: Float32Array): boolean[] {
  return Array.from(boxBlur(shares, size, 2 * edgeRadius + 1), (share) => share < 0.005)
}

const inverted = (shares: Float32Array) => shares.map((share) => 1 - share)

/**
 * The factors of red, green and blue (0 to 255) and the constant that give the mask around each point: a linear regression
 * over its neighborhood.
 */
function followEdges({ data, width, height }: RgbPicture, shares: Float32Array): Float32Array[] {
  const size = { width, height }
  const [red, green, blue] = [0, 1, 2].map((channel) => shares.map((_, index) => data[index * 3 + channel]! / 255)) as [
    Float32Array,
    Float32Array,
    Float32Array,
  ]
  const mean = (one: Float32Array, other?: Float32Array) =>
    boxBlur(other ? one.map((value, index) => value * other[index]!) : one, size, edgeRadius)
  const [r, g, b, s] = [mean(red), mean(green), mean(blue), mean(shares)]
  const [rs, gs, bs] = [mean(red, shares), mean(green, shares), mean(blue, shares)]
  const [rr, rg, rb] = [mean(red, red), mean(red, green), mean(red, blue)]
  const [gg, gb, bb] = [mean(green, green), mean(green, blue), mean(blue, blue)]
  const factors = [0, 1, 2, 3].map(() => new Float32Array(shares.length)) as [
    Float32Array,
    Float32Array,
    Float32Array,
    Float32Array,
  ]
  for (let at = 0; at < shares.length; at++) {
    const [meanRed, meanGreen, meanBlue, share] = [r[at]!, g[at]!, b[at]!, s[at]!]
    const [x, y, z] = solve(
      [
        rr[at]! - meanRed * meanRed + smoothness,
        rg[at]! - meanRed * meanGreen,
        rb[at]! - meanRed * meanBlue,
        gg[at]! - meanGreen * meanGreen + smoothness,
        gb[at]! - meanGreen * meanBlue,
        bb[at]! - meanBlue * meanBlue + smoothness,
      ],
      [rs[at]! - meanRed * share, gs[at]! - meanGreen * share, bs[at]! - meanBlue * share],
    )
    factors[0][at] = x / 255
    factors[1][at] = y / 255
    factors[2][at] = z / 255
    factors[3][at] = share - x * meanRed - y * meanGreen - z * meanBlue
  }
  return factors.map((factor) => mean(factor))
}

type Triple = [number, number, number]
/** Solves a symmetric system of three equations by Cramer's rule. */
function solve([a, b, c, d, e, f]: [number, number, number, number, number, number], [x, y, z]: Triple): Triple {
  const [aa, bb, cc] = [d * f - e * e, c * e - b * f, b * e - c * d]
  const determinant = a * aa + b * bb + c * cc
  return [
    (aa * x + bb * y + cc * z) / determinant,
    (bb * x + (a * f - c * c) * y + (b * c - a * e) * z) / determinant,
    (cc * x + (b * c - a * e) * y + (a * d - b * b) * z) / determinant,
  ]
}

/** The mean color (0 to 255) around each point of what has a share. */
function meanColours({ data, width, height }: RgbPicture, shares: Float32Array): Float32Array[] {
  const weights = shares.map((share) => share * share + 1e-4)
  const size = { width, height }
  const total = boxBlur(weights, size, colourRadius)
  return [0, 1, 2].map((channel) => {
    const weighted = weights.map((weight, index) => weight * data[index * 3 + channel]!)
    return boxBlur(weighted, size, colourRadius).map((sum, index) => sum / total[index]!)
  })
}

type Size = { width: number; height: number }

/** The mean of the square around each point, cut at the edges. */
function boxBlur(data: Float32Array, { width, height }: Size, radius: number): Float32Array {
  const rows = new Float32Array(data.length)
  for (let y = 0; y < height; y++) blurLine(data, rows, { start: y * width, step: 1, length: width }, radius)
  const result = new Float32Array(data.length)
  for (let x = 0; x < width; x++) blurLine(rows, result, { start: x, step: width, length: height }, radius)
  return result
}

type Line = { start: number; step: number; length: number }

function blurLine(from: Float32Array, to: Float32Array, { start, step, length }: Line, radius: number) {
  let [sum, count] = [0, 0]
  for (let position = -radius; position < length; position++) {
    const entering = position + radius
    const leaving = position - radius - 1
    if (entering < length) {
      sum += from[start + entering * step]!
      count++
    }
    if (leaving >= 0) {
      sum -= from[start + leaving * step]!
      count--
    }
    if (position >= 0) to[start + position * step] = sum / count
  }
}

/** For each pixel of a long line the point of a short one before it, and how far it is on the way to the next. */
function neighbours(length: number, points: number) {
  const first = new Int32Array(length)
  const part = new Float32Array(length)
  for (let pixel = 0; pixel < length; pixel++) {
    const at = Math.min(points - 1, Math.max(0, ((pixel + 0.5) * points) / length - 0.5))
    first[pixel] = Math.min(points - 2, Math.floor(at))
    part[pixel] = at - first[pixel]!
  }
  return { first, part }
}

function blendRows(planes: Float32Array[], row: Float32Array[], at: { width: number; first: number; part: number }) {
  const { width, first, part } = at
  for (const [index, plane] of planes.entries()) {
    const target = row[index]!
    const start = first * width
    for (let x = 0; x < width; x++) target[x] = plane[start + x]! * (1 - part) + plane[start + width + x]! * part
  }
}

const between = (line: Float32Array, first: number, part: number) =>
  line[first]! + (line[first + 1]! - line[first]!) * part
