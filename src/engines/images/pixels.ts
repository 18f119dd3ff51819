/** Rows of pixels, 1 to 4 bytes each: grey, grey + alpha, RGB, RGBA (alpha not multiplied in). */
export type Pixels = { data: Uint8Array; width: number; height: number; channels: number }
export type RgbaPixels = Pixels & { channels: 4 }

/** Averages areas down until neither edge is longer than `maxEdge`; never enlarges. */
export function shrinkToFit(pixels: Pixels, maxEdge: number): RgbaPixels {
  const scale = Math.min(1, maxEdge / Math.max(pixels.width, pixels.height))
  const width = Math.max(1, Math.round(pixels.width * scale))
  const height = Math.max(1, Math.round(pixels.height * scale))
  return averageAreas(pixels, width, height)
}

/** Each new pixel is the mean of the old ones under it; where there are fewer old ones, the nearest. */
export function averageAreas(source: Pixels, width: number, height: number): RgbaPixels {
  const { data, channels } = source
  const [green, blue] = channels < 3 ? [0, 0] : [1, 2]
  const hasAlpha = channels === 2 || channels === 4
  const target = new Uint8Array(width * height * 4)
  for (let y = 0; y < height; y++) {
    const [top, bottom] = span(y, height, source.height)
    for (let x = 0; x < width; x++) {
      const [left, right] = span(x, width, source.width)
      let [r, g, b, a] = [0, 0, 0, 0]
      for (let row = top; row < bottom; row++) {
        let at = (row * source.width + left) * channels
        for (let column = left; column < right; column++, at += channels) {
          // What is transparent has no colour to give.
          const alpha = hasAlpha ? data[at + channels - 1]! : 255
          r += data[at]! * alpha
          g += data[at + green]! * alpha
          b += data[at + blue]! * alpha
          a += alpha
        }
      }
      const into = (y * width + x) * 4
      const weight = a || 1
      target[into] = Math.round(r / weight)
      target[into + 1] = Math.round(g / weight)
      target[into + 2] = Math.round(b / weight)
      target[into + 3] = Math.round(a / ((bottom - top) * (right - left)))
    }
  }
  return { data: target, width, height, channels: 4 }
}

function span(index: number, count: number, sourceLength: number): [start: number, end: number] {
  const start = Math.min(sourceLength - 1, Math.floor((index * sourceLength) / count))
  return [start, Math.max(start + 1, Math.floor(((index + 1) * sourceLength) / count))]
}
