import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { classify } from '#engines/ai/local/classifier.ts'
import { openModels } from '#engines/ai/local/models.ts'
import { loadPicture } from '#engines/ai/picture.ts'

/**
 * `node scripts/train-heads/features.ts <pictures> <output>` writes the classifier's features of every picture of a folder:
 * 1,280 float32 numbers each to `features.f32`, and the file names, in the same order, to `names.txt`.
 */
const [pictures, output] = process.argv.slice(2)
if (!pictures || !output) throw new Error('Usage: node scripts/train-heads/features.ts <pictures> <output>')

const classifier = await openModels('data/models').classifier()
const names: string[] = []
const features: Float32Array[] = []
for (const name of (await readdir(pictures)).sort()) {
  try {
    features.push((await classify(classifier, await loadPicture(join(pictures, name)))).features)
    names.push(name)
  } catch (error) {
    console.error(`${name} was left out. ${(error as Error).message}`)
  }
}
await mkdir(output, { recursive: true })
await writeFile(join(output, 'features.f32'), Buffer.concat(features.map((vector) => Buffer.from(vector.buffer))))
await writeFile(join(output, 'names.txt'), names.join('\n'))
console.log(`Wrote the features of ${names.length} pictures.`)
