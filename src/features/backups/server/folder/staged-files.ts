import { join } from 'node:path'
import { nodeDisk, syncAndClose } from '#engines/storage/disk.ts'
import { type Received, receive } from '#engines/storage/receive.ts'
import { forEachConcurrently } from '#shared/concurrency.ts'

/** A disk lets one wait; meanwhile another gets its place. */
const filesAtOnce = 4

export type Places = {
  makePlace: (sha256: string) => Promise<unknown>
  placeBlob: (sha256: string, path: string) => Promise<void>
}

/**
 * What an archive brings lies in its draft until all of it has come: one that is damaged, or breaks off, leaves nothing. Nor does
 * one that does not fit: the folders of the places take room too, so they are made while it comes, and a rename takes none.
 */
export function createStagedFiles(folder: string, { makePlace, placeBlob }: Places) {
  const staged = new Set<string>()
  const pathOf = (sha256: string) => join(folder, sha256)

  return {
    /** Says whether these are the bytes that the name promises. */
    async stage(sha256: string, source: AsyncIterable<Uint8Array>, bytes: number) {
      const place = { disk: nodeDisk, path: pathOf(sha256), keep: ({ file }: Received) => syncAndClose(file) }
      await using arrival = await receive(source, { maxBytes: bytes }, place)
      if (arrival.sha256 !== sha256) return false
      await arrival.keep()
      await makePlace(sha256)
      staged.add(sha256)
      return true
    },
    place: () => forEachConcurrently(staged, filesAtOnce, (sha256) => placeBlob(sha256, pathOf(sha256))),
  }
}
