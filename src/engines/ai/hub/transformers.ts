import { availableParallelism } from 'node:os'
import { lazy } from '#shared/lazy.ts'
import { aiError } from '../errors.ts'
import { loadRuntime, sessionOptions } from '../local/runtime.ts'
import type { Picture } from '../picture.ts'
import { hubFolder } from './catalog.ts'

/** The parts of `@huggingface/transformers` that are used here; the package is optional, and so are its types. */
export type HubTensor = { data: Float32Array; dims: number[] }
type Inputs = Record<string, unknown>
type Model = { (inputs: Inputs): Promise<Record<string, HubTensor>>; dispose(): Promise<unknown> }
type Generator = Model & { generate(options: Inputs): Promise<unknown> }
type Processor = {
  (image: unknown, text?: unknown): Promise<Inputs>
  construct_prompts(task: string): string[]
  batch_decode(tokens: unknown, options: { skip_special_tokens: boolean }): string[]
}
type Tokenizer = { encode(text: string, options: { add_special_tokens: boolean }): number[] }
type Loads<T> = { from_pretrained(repository: string, options?: Inputs): Promise<T> }

type Transformers = {
  env: { allowRemoteModels: boolean; localModelPath: string; logLevel: number; useFSCache: boolean; fetch: unknown }
  AutoImageProcessor: Loads<(image: unknown) => Promise<Inputs>>
  AutoProcessor: Loads<Processor>
  SiglipVisionModel: Loads<Model>
  SiglipTextModel: Loads<Model>
  Florence2ForConditionalGeneration: Loads<Generator>
  PreTrainedTokenizer: new (tokenizer: unknown, config: Inputs) => Tokenizer
  RawImage: new (data: Uint8Array, width: number, height: number, channels: number) => unknown
  Tensor: new (type: string, data: unknown, dims: number[]) => unknown
}

const packageName = '@huggingface/transformers'
/** The library's level at which it prints nothing. */
const silent = 50

const loaded = lazy(async () => {
  // Loaded first, since it turns the runtime's reports to its maker off, and names what is missing.
  await loadRuntime(['onnxruntime-node'])
  try {
    return (await import(packageName)) as Transformers
  } catch {
    const sentence = `${packageName} is not installed. Run \`npm ci\` without leaving out optional packages.`
    throw aiError('models-missing', sentence)
  }
})

/** The library with its network switched off: it reads from the folder of the hub and from nowhere else. */
export async function loadTransformers(modelsDirectory: string): Promise<Transformers> {
  const library = await loaded.get()
  Object.assign(library.env, {
    allowRemoteModels: false,
    localModelPath: hubFolder(modelsDirectory),
    useFSCache: false,
    logLevel: silent,
    fetch: refuseNetwork,
  })
  return library
}

const refuseNetwork = () => Promise.reject(new Error('The AI uses no network'))

/** All files are 8-bit. Half of the processor, as these models take seconds, and the server needs the rest. */
export const openOptions = {
  dtype: 'int8',
  device: 'cpu',
  local_files_only: true,
  session_options: { ...sessionOptions, intraOpNumThreads: Math.max(1, Math.floor(availableParallelism() / 2)) },
}

export const toImage = ({ RawImage }: Transformers, { data, width, height }: Picture) =>
  new RawImage(data, width, height, 3)
