/** In a rendered page, the width and the top of a picture, such as `640 2100`. */
export const boxAttribute = 'data-albumen-box'

/** A picture that is one pixel wide has the size of the pixel that was sent instead of it. */
export function readBox(value: string | undefined): { width: number; top: number } | undefined {
  const [, width, top] = /^(\d{1,6}) (-?\d{1,8})$/.exec(value ?? '') ?? []
  return Number(width) > 1 ? { width: Number(width), top: Number(top) } : undefined
}
