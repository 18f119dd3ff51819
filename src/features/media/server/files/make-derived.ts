import { rm } from 'node:fs/promises'
import type { Storage } from '#engines/storage/storage.ts'

/** Waits for its turn before the blob is fetched and decoded; by default the decoders' own queue is enough. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>

/** Creates a derived file from its blob if it does not exist yet. */
export async function makeDerived(
  { storage }: { storage: Storage },
  key: string,
  extension: string | undefined,
  make: (path: string, outputPath: string) => Promise<unknown>,
  inTurn: InTurn = (work) => work(),
) {
  const existing = await storage.derived.stat(key)
  if (existing) return markUsed(storage, key, existing.modifiedAt)
  const makeNow = async () => {
    const outputPath = storage.derived.temporaryPath(extension)
    try {
      await storage.withLocalFile(key.split('/')[0]!, (path) => make(path, outputPath))
      await storage.derived.write(key, outputPath)
    } finally {
      await rm(outputPath, { force: true })
    }
  }
  await dedupe(key, () => inTurn(makeNow))
}

/** A use is recorded at most this often, as recording it costs a write, or a request to the bucket. */
const usedEveryMs = 6 * 3600_000

/** The files that were not used for the longest time are removed first; see [Note: Derived files have a limit]. */
export function markUsed({ derived }: Storage, key: string, usedAt: Date) {
  if (Date.now() - usedAt.getTime() < usedEveryMs) return
  // A failure only makes the file look older than it is.
  derived.touch(key).catch(() => {})
}

const pending = new Map<string, Promise<void>>()

/** Concurrent requests for the same rendition wait for a single encoder. */
export function dedupe(key: string, make: () => Promise<void>): Promise<void> {
  const running = pending.get(key) ?? make().finally(() => pending.delete(key))
  pending.set(key, running)
  return running
}
