import { createHash } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '#platform/errors.ts'
import type { Report } from '#platform/server/process-pool/serve-tasks.ts'
import { freeInputSize } from '../convert/free-input-size.ts'
import { convertTflite } from '../convert/tflite-to-onnx.ts'
import { loadModel } from '../local/runtime.ts'
import { convertCities } from './cities.ts'
import type { LockedFile } from './lock.ts'
import { readFromTarball } from './tarball.ts'

export type PrepareTask = { tarball: string; files: LockedFile[]; directory: string }

/** Takes the locked files out of a tarball, checks, converts and tries them, and puts the results in place. */
export async function prepareFiles({ tarball, files, directory }: PrepareTask, report: Report = () => {}) {
  const contents = await readFromTarball(tarball, new Set(files.map(({ path }) => path)))
  for (const file of files) {
    const content = contents.get(file.path)
    if (!content) throw refused(file, 'is not in the package')
    if (sha256Of(content) !== file.sha256) throw refused(file, 'is not the file that models.lock.json names')
    const results = transform(file, content)
    for (const [index, result] of results.entries()) await publish(file, index, result, directory)
    report(file.path)
  }
}

function transform(file: LockedFile, content: Buffer): Uint8Array[] {
  if (file.transform === 'cities') return [convertCities(content)]
  if (file.transform === 'copy') return [content]
  if (file.transform === 'free-input-size') return [freeInputSize(content)]
  const { model, anchors } = convertTflite(content)
  return anchors ? [model, new Uint8Array(anchors.buffer, anchors.byteOffset, anchors.byteLength)] : [model]
}

async function publish(file: LockedFile, index: number, bytes: Uint8Array, directory: string) {
  const result = file.makes[index]
  if (!result) throw refused(file, `made more than its ${file.makes.length} files`)
  if (sha256Of(bytes) !== result.sha256) throw refused(file, `was not converted as expected (${result.file})`)
  const path = join(directory, result.file)
  const temporary = `${path}.part`
  try {
    await writeFile(temporary, bytes, { flush: true })
    if (result.file.endsWith('.onnx')) await tryToLoad(file, temporary)
    await rename(temporary, path)
  } finally {
    await rm(temporary, { force: true })
  }
}

async function tryToLoad(file: LockedFile, path: string) {
  try {
    const model = await loadModel(path)
    await model.release()
  } catch (error) {
    throw refused(file, `could not be loaded: ${(error as Error).message}`)
  }
}

const sha256Of = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

export async function isInPlace({ file, bytes, sha256 }: LockedFile['makes'][number], directory: string) {
  try {
    const content = await readFile(join(directory, file))
    return content.length === bytes && sha256Of(content) === sha256
  } catch {
    // A missing or unreadable file is built again.
    return false
  }
}

const refused = (file: LockedFile, reason: string) =>
  new AppError('models-unavailable', 503, `${file.path} of ${file.package}@${file.version} ${reason}.`)
