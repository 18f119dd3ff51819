const sha256Pattern = /^[0-9a-f]{64}$/
const derivedPattern = /^[0-9a-f]{64}\/[a-z0-9][a-z0-9._-]{0,79}$/
const blobKeyPattern = /^blobs\/([0-9a-f]{2})\/([0-9a-f]{2})\/(\1\2[0-9a-f]{60})$/

/** The same names on a disk and in a bucket: `blobs/ab/cd/<sha256>`, `derived/ab/cd/<sha256>/<recipe>`. */
export function blobKey(sha256: string) {
  return `blobs/${shardOf(sha256)}/${sha256}`
}

export function derivedKey(key: string) {
  if (!derivedPattern.test(key)) throw new TypeError(`Expected <sha256>/<recipe>, received ${JSON.stringify(key)}`)
  return `derived/${shardOf(key.slice(0, 64))}/${key}`
}

export function derivedFolder(sha256: string) {
  return `derived/${shardOf(sha256)}/${sha256}`
}

/** The sha256 in a blob's key, or null for a name that is none of ours. */
export function blobOfKey(key: string) {
  return blobKeyPattern.exec(key)?.[3] ?? null
}

/** Two levels of 256 folders keep every folder small, also with a million blobs. */
export function shardOf(sha256: string) {
  if (!sha256Pattern.test(sha256)) throw new TypeError(`Expected a sha256 in hex, received ${JSON.stringify(sha256)}`)
  return `${sha256.slice(0, 2)}/${sha256.slice(2, 4)}`
}

/** What one of those folders is called, on either level. */
export const isShardName = (name: string) => /^[0-9a-f]{2}$/.test(name)
