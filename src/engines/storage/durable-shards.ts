import { dirname, join } from 'node:path'
import type { Disk } from './disk.ts'
import { shardOf } from './keys.ts'

/** Makes the folder in which a blob belongs, durable in its parents; see [Note: The order that survives a power cut]. */
export function createDurableShards(root: string, disk: Disk) {
  /** Folders that this process knows to be durable; at most 65,536 short names. */
  const durable = new Set<string>()

  return async function prepareShard(sha256: string) {
    const shard = shardOf(sha256)
    const folder = join(root, 'blobs', shard)
    const isNew = await disk.makeFolder(folder)
    if (!isNew && durable.has(shard)) return folder
    // Also when somebody else made the folder a moment ago: they may not have come to syncing it yet.
    await disk.syncFolder(join(root, 'blobs'))
    await disk.syncFolder(dirname(folder))
    durable.add(shard)
    return folder
  }
}
