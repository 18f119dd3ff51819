const headerBytes = 128
const tagBytes = 12
const maxTags = 200

/** Whether the bytes are a color profile by its own header and list of tags, and not something else under its name. */
export function isColorProfile(bytes: Uint8Array): boolean {
  const profile = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  if (profile.length < headerBytes + 4 || profile.readUInt32BE(0) !== profile.length) return false
  if (profile.toString('latin1', 36, 40) !== 'acsp') return false
  const tags = profile.readUInt32BE(headerBytes)
  const tagsEnd = headerBytes + 4 + tags * tagBytes
  if (tags === 0 || tags > maxTags || tagsEnd > profile.length) return false
  for (let at = headerBytes + 4; at < tagsEnd; at += tagBytes) {
    const [offset, length] = [profile.readUInt32BE(at + 4), profile.readUInt32BE(at + 8)]
    if (offset < tagsEnd || offset + length > profile.length) return false
  }
  return true
}
