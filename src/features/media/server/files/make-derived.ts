import { rm } from 'node:fs/promises'
import type { Storage } from '#engines/storage/storage.ts'

/** Creates a derived file from its blob if it does not exist yet. */
export async function makeDerived(
  { storage }: { storage: Storage },
  key: string,
  extension: string | undefined,
  make: (path: string, outputPath: string) => Promise<unknown>,
) {
  if (await storage.derived.stat(key)) return
  await dedupe(key, async () => {
    const outputPath = storage.derived.temporaryPath(extension)
    try {
      await storage.withLocalFile(key.split('/')[0]!, (path) => make(path, outputPath))
      await storage.derived.write(key, outputPath)
    } finally {
      await rm(outputPath, { force: true })
    }
  })
}

const pending = new Map<string, Promise<void>>()

/** Concurrent requests for the same rendition wait for a single encoder. */
export function dedupe(key: string, make: () => Promise<void>): Promise<void> {
  const running = pending.get(key) ?? make().finally(() => pending.delete(key))
  pending.set(key, running)
  return running
}
