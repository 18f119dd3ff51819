import { spawn } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AppError } from '#platform/errors.ts'

const projectRoot = fileURLToPath(new URL('../../../../', import.meta.url))
const longestDownloadMs = 20 * 60_000

type Download = { name: string; version: string; directory: string; signal?: AbortSignal }

/**
 * Fetches one package's tarball through npm itself, so that a mirror, proxy or cache that `npm ci` uses is used here
 * too. Nothing is installed and no script of the package runs.
 */
export async function downloadPackage({ name, version, directory, signal }: Download): Promise<string> {
  const specifier = `${name}@${version}`
  await runNpm(['pack', specifier, '--pack-destination', directory, '--ignore-scripts', '--loglevel=error'], signal)
  const tarball = (await readdir(directory)).find((file) => file.endsWith('.tgz'))
  if (!tarball) throw downloadFailed(specifier, 'npm wrote no file')
  return join(directory, tarball)

  async function runNpm(args: string[], abort?: AbortSignal) {
    const limit = AbortSignal.timeout(longestDownloadMs)
    const child = spawn('npm', args, {
      cwd: projectRoot,
      stdio: ['ignore', 'ignore', 'pipe'],
      shell: process.platform === 'win32',
      signal: abort ? AbortSignal.any([abort, limit]) : limit,
    })
    let complaint = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaint = (complaint + text).slice(-4000)
    })
    const { promise, resolve, reject } = Promise.withResolvers<number | null>()
    child.once('error', reject)
    child.once('close', resolve)
    const exitCode = await promise.catch((error: NodeJS.ErrnoException) => {
      abort?.throwIfAborted()
      if (limit.aborted) throw downloadFailed(specifier, 'it took longer than 20 minutes')
      throw downloadFailed(specifier, error.code === 'ENOENT' ? 'npm was not found' : error.message)
    })
    if (exitCode !== 0) throw downloadFailed(specifier, firstComplaint(complaint))
  }
}

/** The first line that a person understands, without the word that says what it is about. */
const firstComplaint = (text: string) =>
  /^npm (?:error|ERR!) (?!(?:code|syscall|errno|path|dest)\b)(?:network |nospc )?(.+)$/m
    .exec(text)?.[1]
    ?.slice(0, 200) ?? 'npm ended with an error'

const downloadFailed = (specifier: string, reason: string) =>
  new AppError('models-unavailable', 503, `The package ${specifier} could not be fetched: ${reason}.`)
