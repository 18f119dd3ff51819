import type { Readable } from 'node:stream'
import { canBeStreamed, createStreamReader, type StreamReader } from '#engines/archive/read-zip-stream.ts'
import type { BackupServices } from '../backup-services.ts'
import { openArrivingArchive } from './arriving-archive.ts'
import { type ImportedArchive, importArchive } from './import-archive.ts'
import { keepOnDisk } from './receive-upload.ts'
import { openWholeArchive } from './whole-archive.ts'

type Services = Pick<BackupServices, 'db' | 'backupFolder' | 'log'>

/** Takes in what is being sent; whether it was the one file that was expected is known after it, and only then it is published. */
export async function receiveArchive(services: Services, file: Readable): Promise<ImportedArchive> {
  const pieces = file.iterator({ destroyOnReturn: false })
  try {
    return await takeIn(services, createStreamReader(pieces))
  } catch (error) {
    // Until it lets go of them nobody else can read what is left.
    await pieces.return?.()
    throw error
  }
}

async function takeIn(services: Services, bytes: StreamReader): Promise<ImportedArchive> {
  if (await canBeStreamed(bytes)) return importArchive(services, openArrivingArchive(bytes))

  const { path, [Symbol.asyncDispose]: discard } = await keepOnDisk(services.backupFolder, bytes.rest())
  return {
    async publish() {
      await using archive = await openWholeArchive(path, services.backupFolder)
      await using imported = await importArchive(services, archive)
      return await imported.publish()
    },
    [Symbol.asyncDispose]: discard,
  }
}
