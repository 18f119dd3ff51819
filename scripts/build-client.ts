import { createHash } from 'node:crypto'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const root = fileURLToPath(new URL('..', import.meta.url))
const outDir = `${root}dist/client`
const stamp = `${root}dist/client.sha256`
const sources = ['src/**/*.{ts,tsx,css}', 'public/**/*.*', '*.html', 'vite.config.ts', 'package-lock.json']

const fingerprint = hashSources()
const isFresh = process.argv.includes('--if-stale') && readStamp() === fingerprint
if (!isFresh) {
  if (process.argv.includes('--if-stale')) process.stdout.write('Building the client …\n')
  // Loaded only when needed, so that later starts are fast.
  const { build } = await import('vite')
  await build({ root, logLevel: 'warn' })
  await compressFiles()
  writeFileSync(stamp, fingerprint)
}

function hashSources() {
  const hash = createHash('sha256')
  for (const file of globSync(sources, { cwd: root }).sort()) {
    if (/\.test\.tsx?$|\/server\/|\/engines\//.test(file)) continue
    hash.update(file).update(readFileSync(root + file))
  }
  return hash.digest('hex')
}

function readStamp() {
  try {
    return readFileSync(stamp, 'utf8')
  } catch {
    return null
  }
}

/** Compresses each file once, at the highest level, instead of at every request. */
async function compressFiles() {
  const files = globSync('**/*.{js,css,html,svg,json}', { cwd: outDir }).map((file) => `${outDir}/${file}`)
  await Promise.all(
    files.map(async (file) => {
      const bytes = await readFile(file)
      const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }
      await writeFile(`${file}.br`, await promisify(brotliCompress)(bytes, options))
      await writeFile(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }))
    }),
  )
}
