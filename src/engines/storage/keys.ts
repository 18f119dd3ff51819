import { dirname, join } from 'node:path'
import type { Disk } from './disk.ts'

const sha256Pattern = /^[0-9a-f]{64}$/
const derivedPattern = /^[0-9a-f]{64}\/[a-z0-9][a-z0-9._-]{0,79}$/
const blobKeyPattern = /^blobs\/([0-9a-f]{2})\/([0-9a-f]{2})\/(\1\2[0-9a-f]{60})$/

/** Disk and bucket use the same names: `blobs/ab/cd/<sha256>`, `derived/ab/cd/<sha256>/<recipe>`. */
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

/** Returns `<sha256>/<recipe>` of a derived file's key, or null for any other name. */
export function recipeOfKey(key: string) {
  const name = /^derived\/[0-9a-f]{2}\/[0-9a-f]{2}\/(.+)$/.exec(key)?.[1] ?? ''
  return derivedPattern.test(name) ? name : null
}

/** Returns the sha256 in a blob's key, or null for any other name. */
export function blobOfKey(key: string) {
  return blobKeyPattern.exec(key)?.[3] ?? null
}

/** Two levels of 256 folders keep each folder small, even with a million blobs. */
function shardOf(sha256: string) {
  if (!sha256Pattern.test(sha256)) throw new TypeError(`Expected a sha256 in hex, received ${JSON.stringify(sha256)}`)
  return `${sha256.slice(0, 2)}/${sha256.slice(2, 4)}`
}

/** Tells whether a folder name belongs to one of these levels. */
export const isShardName = (name: string) => /^[0-9a-f]{2}$/.test(name)

/** Creates the folder of a blob and syncs it in its parents; see [Note: Write order that survives a power cut]. */
export function createDurableShards(root: string, disk: Disk) {
  /** Folders that this process has synced; at most 65,536 short names. */
  const durable = new Set<string>()

  return async function prepareShard(sha256: string) {
    const shard = shardOf(sha256)
    const folder = join(root, 'blobs', shard)
    const isNew = await disk.makeFolder(folder)
    if (!isNew && durable.has(shard)) return folder
    // Another process may have created the folder a moment ago and not have synced it yet.
    await disk.syncFolder(join(root, 'blobs'))
    await disk.syncFolder(dirname(folder))
    durable.add(shard)
    return folder
  }
}
