import { createHash } from 'node:crypto'
import { errorCode } from '#engines/storage/disk.ts'
import { type LentPieces, LentStream, largePieceBytes } from '#engines/storage/lent-stream.ts'
import { openLocal } from '#engines/storage/local-files.ts'
import type { BackupServices } from '../backup-services.ts'
import { damagedBackup } from '../folder/backup-faults.ts'

type Services = Pick<BackupServices, 'backupFolder' | 'log'>

/**
 * A file of a backup that ends with a fault unless its bytes are the ones that its name promises. It may have rotted since
 * the drill read it, and a ZIP with it in would look whole, and be refused as a whole when it is wanted back.
 */
export async function openCheckedBlob({ backupFolder, log }: Services, sha256: string) {
  const { stream } = await openLocal(backupFolder.blobPath(sha256), undefined, largePieceBytes)
  return new LentStream(checked(stream instanceof LentStream ? stream.lend() : stream), () => stream.destroy())

  async function* checked(pieces: AsyncIterable<Buffer>): LentPieces {
    const hash = createHash('sha256')
    try {
      for await (const piece of pieces) {
        hash.update(piece)
        yield piece
      }
      if (hash.digest('hex') === sha256) return
    } catch (error) {
      // What the disk cannot read any more is lost too.
      if (errorCode(error) !== 'EIO') throw error
    }
    const isWhole = await backupFolder.setAsideUnlessWhole(sha256)
    log.warn({ sha256, isWhole }, 'file of a backup was damaged on its way into a ZIP file')
    throw damagedBackup('one of its files has rotted', 'Please try again: it is fetched from the library, or left out.')
  }
}
