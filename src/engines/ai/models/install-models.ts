import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createProcessPool } from '#platform/server/process-pool/process-pool.ts'
import { lockDirectory } from './directory-lock.ts'
import { downloadPackage } from './download.ts'
import { type LockedFile, lockedModels } from './lock.ts'
import { isInPlace, type PrepareTask } from './prepare.ts'

type InstallProgress = { done: number; total: number; message: string }

type InstallOptions = {
  directory: string
  files?: LockedFile[]
  onProgress?: (progress: InstallProgress) => void
  signal?: AbortSignal
}

const downloadPrefix = '.download-'

/**
 * Brings every locked file into the directory: what is there and matches is left alone, so that an interrupted run
 * goes on where it stopped. Two processes may call it at once; the second waits and finds the work done.
 */
export async function installModels({
  directory,
  files = lockedModels,
  onProgress = () => {},
  signal,
}: InstallOptions): Promise<void> {
  if ((await findMissing(directory, files)).length === 0) return
  await using _lock = await lockDirectory(directory, signal)
  const missing = await findMissing(directory, files)
  // The required ones come first, so that an optional package that cannot be fetched keeps none of them away.
  missing.sort((one, other) => Number(one.isOptional ?? false) - Number(other.isOptional ?? false))
  const packages = Object.entries(Object.groupBy(missing, (file) => `${file.package}@${file.version}`))
  if (packages.length === 0) return
  await removeLeftovers(directory)

  const pool = createProcessPool<PrepareTask, void>({
    entry: new URL('./prepare-child.ts', import.meta.url),
    size: 1,
    timeoutMs: 10 * 60_000,
  })
  try {
    for (const [done, [specifier, group = []]] of packages.entries()) {
      const report = (message: string) => onProgress({ done, total: packages.length, message })
      const { package: name, version } = group[0]!
      const download = await mkdtemp(join(directory, downloadPrefix))
      try {
        report(`Fetching ${specifier}`)
        const tarball = await downloadPackage({ name, version, directory: download, signal })
        report(`Preparing ${group.flatMap(({ makes }) => makes.map(({ file }) => file)).join(', ')}`)
        await pool.run({ tarball, files: group, directory }, { signal })
      } finally {
        await rm(download, { recursive: true, force: true })
      }
    }
    onProgress({ done: packages.length, total: packages.length, message: 'All files are in place' })
  } finally {
    await pool.close()
  }
}

async function findMissing(directory: string, files: LockedFile[]): Promise<LockedFile[]> {
  const missing: LockedFile[] = []
  for (const file of files) {
    const isComplete = await Promise.all(file.makes.map((result) => isInPlace(result, directory)))
    if (isComplete.includes(false)) missing.push(file)
  }
  return missing
}

/** The files that are not there, judged by name and size only: a look that costs nothing. Without optional ones. */
export const findMissingModels = (directory: string) =>
  listMissing(
    directory,
    lockedModels.filter(({ isOptional }) => !isOptional),
  )

/** The same with the optional ones. */
export const findMissingFiles = (directory: string) => listMissing(directory, lockedModels)

async function listMissing(directory: string, files: LockedFile[]): Promise<string[]> {
  const results = files.flatMap(({ makes }) => makes)
  const sizes = await Promise.all(
    results.map(({ file }) =>
      stat(join(directory, file)).then(
        ({ size }) => size,
        () => -1,
      ),
    ),
  )
  return results.filter(({ bytes }, index) => sizes[index] !== bytes).map(({ file }) => file)
}

async function removeLeftovers(directory: string) {
  const leftovers = (await readdir(directory)).filter((name) => name.startsWith(downloadPrefix))
  await Promise.all(leftovers.map((name) => rm(join(directory, name), { recursive: true, force: true })))
}
