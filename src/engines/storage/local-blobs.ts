import { link, readdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Disk, errorCode, syncAndClose } from './disk.ts'
import { createDurableShards } from './durable-shards.ts'
import { blobKey, blobOfKey, isShardName } from './keys.ts'
import { hashLocal, statFile, unlessMissing } from './local-files.ts'
import type { Received } from './receive.ts'
import type { Hashed } from './storage.ts'
import type { TemporaryFiles } from './temporary-files.ts'

/** The blobs of a local disk: how they get their place and how they leave it. */
export function createLocalBlobs(root: string, { disk, temporary }: { disk: Disk; temporary: TemporaryFiles }) {
  const pathOf = (sha256: string) => join(root, blobKey(sha256))
  const prepareShard = createDurableShards(root, disk)

  /** See [Note: The order that survives a power cut]. A blob that exists is replaced: it becomes young, and whole again. */
  async function place({ file, path, sha256 }: Omit<Received, 'bytes'>) {
    await syncAndClose(file)
    const folder = await prepareShard(sha256)
    await disk.rename(path, pathOf(sha256))
    await disk.syncFolder(folder)
  }

  function adopt(source: string, known?: Hashed) {
    return temporary.withTakenOver(source, async (path) => {
      const hashed = known ?? (await hashLocal(path))
      await place({ file: await disk.reopen(path), path, sha256: hashed.sha256 })
      return hashed
    })
  }

  async function remove(sha256: string, unchangedForMs = 0) {
    if (await isYoung(pathOf(sha256), unchangedForMs)) return false
    // Taken away under another name first and looked at again: an upload of the same bytes may come in between, also
    // from another process, and what it has kept must stay.
    return temporary.withPath(async (taken) => {
      if ((await unlessMissing(rename(pathOf(sha256), taken))) === null) return false
      if (!(await isYoung(taken, unchangedForMs))) return true
      await link(taken, pathOf(sha256)).catch((error: unknown) => {
        if (errorCode(error) !== 'EEXIST') throw error
      })
      await disk.syncFolder(dirname(pathOf(sha256)))
      return false
    })
  }

  async function* list() {
    for (const shard of await listShards(join(root, 'blobs'))) {
      for (const name of await readdir(join(root, 'blobs', shard))) {
        const sha256 = blobOfKey(`blobs/${shard}/${name}`)
        const facts = sha256 && (await statFile(pathOf(sha256)))
        if (facts) yield { sha256, ...facts }
      }
    }
  }

  return { pathOf, place, adopt, remove, list }
}

async function isYoung(path: string, unchangedForMs: number) {
  if (unchangedForMs === 0) return false
  const facts = await statFile(path)
  return facts !== null && facts.modifiedAt.getTime() > Date.now() - unchangedForMs
}

async function listShards(folder: string) {
  const shards: string[] = []
  for (const first of (await readdir(folder)).filter(isShardName)) {
    for (const second of (await readdir(join(folder, first))).filter(isShardName)) shards.push(`${first}/${second}`)
  }
  return shards
}
