/** Below this, a picture inside the page is an icon or a placeholder. */
const minDataUriBytes = 1024

const dataUriStart = /^data:image\/(?:png|jpeg|jpg|gif|webp)(?:;[\w=-]+)*;base64,/i

/** Whether a `data:` URI holds a picture that the library could take and a person might want. */
export function isPictureDataUri(address: string): boolean {
  const start = dataUriStart.exec(address.slice(0, 200))?.[0]
  return start !== undefined && ((address.length - start.length) * 3) / 4 >= minDataUriBytes
}

/** The picture inside a `data:` URI that `findImages` returned; it is not fetched, it is already here. */
export function readDataUri(address: string): Buffer | undefined {
  const start = dataUriStart.exec(address.slice(0, 200))?.[0]
  if (!start) return undefined
  // Scripts that made an address of it have written `+`, `/` and `=` as `%2B`, `%2F` and `%3D`.
  const base64 = address
    .slice(start.length)
    .replace(/%([0-9a-f]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
  return Buffer.from(base64, 'base64')
}
