import type { FastifyRequest } from 'fastify'
import type { Storage } from '#engines/storage/storage.ts'
import { AppError, invalid, tooLarge } from '#platform/errors.ts'
import { explainMultipartError } from '#platform/server/http/handle.ts'
import { limitConcurrency } from '#shared/concurrency.ts'
import { maxTableBytes } from '../../limits.ts'

/** One table, and one byte more than allowed, so that a larger one is noticed. */
export const tableUpload = { limits: { fileSize: maxTableBytes + 1, files: 1, fields: 0, parts: 1, headerPairs: 50 } }

const noTable = () => invalid('Please choose a table.', { field: 'file' })
const tooManyTables = 'Please choose one table at a time.'
/** A table is in memory while it is compared. */
const inTurn = limitConcurrency(2)

/** Passes a temporary file with the table to `read`. */
export async function receiveTable<T>(storage: Storage, request: FastifyRequest, read: (path: string) => Promise<T>) {
  try {
    await using table = await receive(storage, request)
    return await inTurn(() => read(table.path))
  } catch (error) {
    // Browsers read a response only after they have sent everything.
    request.raw.unpipe().resume()
    throw explainMultipartError(error, { none: noTable, tooMany: tooManyTables })
  }
}

async function receive(storage: Storage, request: FastifyRequest) {
  const part = await request.file()
  if (part?.fieldname !== 'file') throw noTable()
  try {
    return await storage.receive(part.file, { maxBytes: maxTableBytes })
  } catch (error) {
    const isTooLarge = error instanceof AppError && error.code === 'too-large'
    throw isTooLarge ? tooLarge('A table can have up to 20 MB.') : error
  }
}
