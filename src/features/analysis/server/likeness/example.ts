import { rm, writeFile } from 'node:fs/promises'
import type { FastifyRequest } from 'fastify'
import type { ImageEngine } from '#engines/images/image-engine.ts'
import type { Storage } from '#engines/storage/storage.ts'
import { maxExampleBytes } from '#features/media/limits.ts'
import { AppError, invalid, notConfigured, tooLarge, unavailable } from '#platform/errors.ts'
import type { Db } from '#platform/server/db/tables.ts'
import { explainMultipartError } from '#platform/server/http/handle.ts'
import { consumeRateLimits } from '#platform/server/rate-limits.ts'
import { limitConcurrencyPerKey } from '#shared/concurrency.ts'
import type { Ai } from '../ai.ts'
import { asInt8, makeSketch } from './sketch.ts'

type ExampleServices = { db: Db; ai: Ai; images: ImageEngine; storage: Storage }

/** Each costs about 0.2 s of CPU; a person needs a few. */
const limitOf = (ownerId: number) => ({ name: `example:${ownerId}`, max: 60, windowMs: 10 * 60_000 })
/** Per user, so that many examples of one user do not delay others. */
const atOnce = 2
const longestEdge = 600

const noPicture = () => invalid('Please choose a picture.', { field: 'picture' })
const tooManyPictures = 'Please choose one picture at a time.'

/**
 * Makes the sketch of a picture outside the library, with which its similar items can be listed. Neither the picture nor
 * the sketch is stored.
 */
export function createExampleSketches(services: ExampleServices) {
  const slots = limitConcurrencyPerKey(atOnce)

  return async function sketchExample(ownerId: number, request: FastifyRequest, signal: AbortSignal) {
    try {
      const local = await requireLocalAi(services.ai)
      await consumeRateLimits(services.db, [limitOf(ownerId)])
      return await slots.run(ownerId, signal, async () => {
        await using picture = await receivePicture(services.storage, request)
        return makeSketch(asInt8(await embed(services, local, picture.path)))
      })
    } catch (error) {
      // Browsers read a response only after they have sent everything.
      request.raw.unpipe().resume()
      throw explainMultipartError(error, { none: noPicture, tooMany: tooManyPictures })
    }
  }
}

/** An endpoint makes no embeddings, so this needs the built-in AI even where an endpoint is preferred. */
async function requireLocalAi(ai: Ai) {
  await ai.refreshModels()
  if (!ai.local) throw notConfigured('Search by picture needs the built-in AI, which is switched off (AI_LOCAL=0).')
  if (ai.models.state === 'missing')
    throw notConfigured('Search by picture needs the built-in AI. Run `npm run models` on the server.')
  if (ai.models.state !== 'ready') throw unavailable(ai.models.message, 30)
  return ai.local
}

async function receivePicture(storage: Storage, request: FastifyRequest) {
  const part = await request.file()
  if (part?.fieldname !== 'picture') throw noPicture()
  try {
    return await storage.receive(part.file, { maxBytes: maxExampleBytes })
  } catch (error) {
    const isTooLarge = error instanceof AppError && error.code === 'too-large'
    throw isTooLarge ? tooLarge('An example picture can have up to 25 MB.') : error
  }
}

async function embed({ images, storage }: ExampleServices, local: NonNullable<Ai['local']>, path: string) {
  const { data } = await images.shrink({ path, edge: longestEdge })
  const frame = storage.derived.temporaryPath('jpg')
  try {
    await writeFile(frame, data, { mode: 0o600 })
    // Not stopped when the browser leaves, because that would end the process with its loaded models.
    return await local.embedPicture(frame)
  } finally {
    await rm(frame, { force: true })
  }
}
