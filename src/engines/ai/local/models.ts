import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '#platform/errors.ts'
import { lazy } from '#shared/lazy.ts'
import { aiError } from '../errors.ts'
import { modelFiles } from '../models/lock.ts'
import { loadModel, type Model } from './runtime.ts'

/** The models of one directory, each loaded when it is first needed and kept while the process lives. */
export type Models = ReturnType<typeof openModels>

export function openModels(directory: string) {
  const loaded = new Map<string, Promise<Model>>()

  const model = (file: string) => {
    const known = loaded.get(file)
    if (known) return known
    const loading = loadModel(join(directory, file)).catch((error: unknown) => {
      loaded.delete(file)
      throw notLoaded(error)
    })
    loaded.set(file, loading)
    return loading
  }

  const bytes = (file: string) =>
    readFile(join(directory, file)).catch((error: unknown) => {
      throw notLoaded(error)
    })

  /** Null where the file is missing or cannot be loaded: everything else works without it. */
  const optionalModel = (file: string) => model(file).catch(() => null)

  const anchors = lazy(async () => new Float32Array(Uint8Array.from(await bytes(modelFiles.anchors)).buffer))

  return {
    classifier: () => model(modelFiles.classifier),
    detector: async () => ({ model: await model(modelFiles.detector), anchors: await anchors.get() }),
    faceDetector: () => optionalModel(modelFiles.faceDetector),
    saliency: () => optionalModel(modelFiles.saliency),
    textDetector: () => model(modelFiles.textDetector),
    textRecogniser: () => model(modelFiles.textRecogniser),
    textEmbedding: () => model(modelFiles.textEmbedding),
    tokenizerJson: async () => (await bytes(modelFiles.tokenizer)).toString('utf8'),
    citiesTable: async () => (await bytes(modelFiles.cities)).toString('utf8'),
  }
}

function notLoaded(error: unknown) {
  if (error instanceof AppError) return error
  const { code = '' } = error as NodeJS.ErrnoException
  if (['ENOENT', 'ENOTDIR'].includes(code))
    return aiError('models-missing', 'The AI models are not installed. Run `npm run models` on the server.')
  // What is there and cannot be used does not come right by installing it: it is not tried again for ever.
  const sentence =
    'The AI models could not be loaded: there is too little memory, or `npm run models` must repair a file.'
  return aiError('crashed', sentence)
}
