import { createHash } from 'node:crypto'
import type { ZipSource } from '#engines/archive/write-zip.ts'
import { errorCode } from '#engines/storage/disk.ts'
import { type LentPieces, LentStream, largePieceBytes } from '#engines/storage/lent-stream.ts'
import { openLocal } from '#engines/storage/local-files.ts'
import type { BackupServices } from '../backup-services.ts'
import { type Checksum, forgetChecksum } from '../checksums.ts'
import { damagedBackup } from '../folder/backup-faults.ts'
import type { FileRecord } from '../library/write-document.ts'

type Services = Pick<BackupServices, 'db' | 'backupFolder' | 'log'>

/** `known`: its CRC-32; else it is hashed, and `onProven` hears of it. */
type Checking = { known: number | undefined; onProven(checksum: Checksum): void }

/**
 * A file of a backup, in whose place there is a fault unless its bytes are the ones that its name promises. It may have rotted
 * since the drill read it, and a ZIP with it in would look whole, and be refused as a whole when it is wanted back.
 */
export function checkedBlob(services: Services, file: FileRecord, { known, onProven }: Checking): ZipSource {
  const { db, backupFolder, log } = services
  const { sha256, bytes } = file
  return { name: nameOf(file), bytes, open, onRead }

  async function open() {
    const { stream, bytes: found } = await openLocal(backupFolder.blobPath(sha256), undefined, largePieceBytes)
    const pieces = stream instanceof LentStream ? stream.lend() : stream
    return new LentStream(checked(pieces, found === bytes), () => stream.destroy())
  }

  async function* checked(pieces: AsyncIterable<Buffer>, isAsLong: boolean): LentPieces {
    const hash = known === undefined && createHash('sha256')
    try {
      if (!isAsLong) throw await fault()
      for await (const piece of pieces) {
        if (hash) hash.update(piece)
        yield piece
      }
    } catch (error) {
      // What the disk cannot read any more is lost too.
      throw errorCode(error) === 'EIO' ? await fault() : error
    }
    if (hash && hash.digest('hex') !== sha256) throw await fault()
  }

  async function onRead(crc32: number) {
    if (known === undefined) onProven({ sha256, crc32 })
    else if (crc32 !== known) throw await fault()
  }

  async function fault() {
    const isWhole = await backupFolder.setAsideUnlessWhole(sha256)
    log.warn({ sha256, isWhole }, 'file of a backup was damaged on its way into a ZIP file')
    // Whichever of the two was wrong: the next download finds out by hashing.
    if (isWhole && known !== undefined) await forgetChecksum(db, sha256)
    return damagedBackup(
      'one of its files has rotted',
      'Please try again: it is fetched from the library, or left out.',
    )
  }
}

export const nameOf = ({ sha256 }: FileRecord) => `files/${sha256}`
