import { z } from 'zod'
import lock from '../../../../models.lock.json' with { type: 'json' }

/** One file inside a pinned npm tarball, and what is made of it. */
const LockedFile = z.object({
  package: z.string(),
  version: z.string(),
  path: z.string(),
  sha256: z.string(),
  licence: z.string(),
  origin: z.string(),
  transform: z.enum(['copy', 'tflite', 'free-input-size', 'cities']),
  /** Without it everything else works. */
  isOptional: z.boolean().optional(),
  makes: z.array(z.object({ file: z.string(), bytes: z.number(), sha256: z.string() })).min(1),
})
export type LockedFile = z.infer<typeof LockedFile>

export const parseLock = (content: unknown) => z.object({ files: z.array(LockedFile) }).parse(content).files

export const lockedModels = parseLock(lock)

/** The names under which the local provider finds its files. */
export const modelFiles = {
  classifier: 'classifier.onnx',
  detector: 'detector.onnx',
  anchors: 'detector-anchors.f32',
  faceDetector: 'face-detector.onnx',
  saliency: 'saliency.onnx',
  textDetector: 'text-detector.onnx',
  textRecogniser: 'text-recogniser.onnx',
  textEmbedding: 'text-embedding.onnx',
  tokenizer: 'text-embedding-tokenizer.json',
  cities: 'cities.tsv',
} as const
