import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { arch, env as environment } from 'node:process'
import type { InferenceSession, Tensor } from 'onnxruntime-node'
import { AppError } from '#platform/errors.ts'

type Feeds = Record<string, { type: 'uint8' | 'float32' | 'int64'; data: TensorData; dims: number[] }>
type TensorData = Uint8Array | Float32Array | BigInt64Array
type Output = { data: Float32Array; dims: readonly number[] }

/** A model ready to run: named tensors in, named float tensors out. */
export type Model = {
  inputNames: readonly string[]
  outputNames: readonly string[]
  run(feeds: Feeds): Promise<Record<string, Output>>
  release(): Promise<void>
}

type Runtime = Pick<typeof import('onnxruntime-node'), 'InferenceSession' | 'Tensor'>

/** The native runtime where it can be loaded, else the WebAssembly one, which is about five times slower. */
const runtimeNames = ['onnxruntime-node', 'onnxruntime-web']

let runtime: Promise<Runtime> | undefined

export async function loadRuntime(names = runtimeNames): Promise<Runtime> {
  // The native library keeps a device id and reports its use to its maker unless told not to, before it is loaded.
  environment.ORT_DISABLE_TELEMETRY = '1'
  for (const name of names) {
    try {
      const loaded = await importRuntime(name)
      loaded.env.wasm.numThreads = 1
      return loaded
    } catch {
      // Not installed or not made for this machine; the next one may be.
    }
  }
  const sentence = 'No ONNX runtime is installed. Run `npm ci` without leaving out optional packages.'
  throw new AppError('runtime-missing', 503, sentence)
}

/** Both packages offer the same API; the names are variables because either may be absent. */
async function importRuntime(name: string): Promise<typeof import('onnxruntime-node')> {
  const imported = await import(name)
  return imported.default ?? imported
}

export const sessionOptions: InferenceSession.SessionOptions = {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  // The arena keeps the largest picture's memory for ever; without it the child stays small between tasks.
  enableCpuMemArena: false,
  logSeverityLevel: 3,
  // Elsewhere sums of 8-bit products saturate and tags come out wrong (a mountain was tagged as a dog). With this option
  // the runtime uses a kernel that is exact and nearly half as fast.
  ...(!sumsExactly() && { extra: { session: { x64quantprecision: '1' } } }),
}

/** Whether the processor has VNNI, which sums 8-bit products exactly. Only Linux says so without a native call. */
function sumsExactly(): boolean {
  if (arch !== 'x64') return true
  try {
    return /\bavx(512)?_vnni\b/.test(readFileSync('/proc/cpuinfo', 'latin1'))
  } catch {
    return false
  }
}

export async function loadModel(path: string, chosen?: Runtime): Promise<Model> {
  runtime ??= loadRuntime()
  const { InferenceSession, Tensor } = chosen ?? (await runtime)
  const session = await InferenceSession.create(await readFile(path), sessionOptions)
  return {
    inputNames: session.inputNames,
    outputNames: session.outputNames,
    async run(feeds) {
      const tensors = Object.fromEntries(
        Object.entries(feeds).map(([name, { type, data, dims }]) => [name, new Tensor(type, data, dims) as Tensor]),
      )
      return (await session.run(tensors)) as unknown as Record<string, Output>
    },
    release: () => session.release(),
  }
}
