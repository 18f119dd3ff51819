export type Colour = [red: number, green: number, blue: number]

export const red: Colour = [255, 0, 0]
export const green: Colour = [0, 255, 0]
export const blue: Colour = [0, 0, 255]
export const white: Colour = [255, 255, 255]

/** RGB bytes of an image in four colors, from the upper left to the lower right; each scene shifts them by one. */
export function drawQuadrants({ width, height }: { width: number; height: number }, scene: number) {
  const colours = [red, green, blue, white]
  const row = (left: number) => {
    const line = Buffer.alloc(width * 3)
    for (let x = 0; x < width; x++) line.set(colours[(left + (x < width / 2 ? 0 : 1) + scene) % 4] ?? white, x * 3)
    return line
  }
  const upper = row(0)
  const lower = row(2)
  return Buffer.concat(Array.from({ length: height }, (_, y) => (y < height / 2 ? upper : lower)))
}
