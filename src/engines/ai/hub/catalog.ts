import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import lock from './hub.lock.json' with { type: 'json' }

export const hubModelIds = ['siglip2', 'florence2'] as const
export type HubModelId = (typeof hubModelIds)[number]

const HubModel = z.object({
  id: z.enum(hubModelIds),
  name: z.string(),
  /** The model's part of `AiProvider.model`. */
  identity: z.string(),
  makes: z.string(),
  licence: z.string(),
  origin: z.string(),
  repository: z.string(),
  revision: z.string(),
  /** On one core of a usual machine, until the examination has measured it. */
  secondsPerPicture: z.number(),
  files: z.array(z.object({ path: z.string(), bytes: z.number(), sha256: z.string() })),
})
export type HubModel = z.infer<typeof HubModel>
export type HubFile = HubModel['files'][number]

export const hubModels: HubModel[] = z.object({ models: z.array(HubModel) }).parse(lock).models

export const hubModelById = (id: HubModelId): HubModel => hubModels.find((model) => model.id === id)!

/** Below it, files lie as in a copy of the hub: `<owner>/<repository>/<path>`. */
export const hubFolder = (modelsDirectory: string) => join(modelsDirectory, 'hub')

export const totalBytes = ({ files }: HubModel) => files.reduce((sum, { bytes }) => sum + bytes, 0)

/** Whether all files are there, judged by name and size only: a look that costs nothing. */
export async function isComplete({ repository, files }: HubModel, modelsDirectory: string): Promise<boolean> {
  const sizes = await Promise.all(
    files.map(({ path }) =>
      stat(join(hubFolder(modelsDirectory), repository, path)).then(
        ({ size }) => size,
        () => -1,
      ),
    ),
  )
  return files.every(({ bytes }, index) => sizes[index] === bytes)
}
