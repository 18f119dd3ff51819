import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { installModels } from '../models/install-models.ts'
import { parseLock } from '../models/lock.ts'
import samples from './samples.lock.json' with { type: 'json' }
import speech from './speech.lock.json' with { type: 'json' }

/**
 * The real models, fetched once into the machine's cache and shared by all test files: the first one installs, the
 * others wait for it.
 */
export async function modelsForTests(): Promise<string> {
  const directory = join(cacheDirectory(), 'albumen-models')
  await installModels({ directory })
  return directory
}

export type Samples = { photograph(name: string): string; font: string }

/** Photographs and a font under free licences out of npm packages; samples.lock.json says from where. */
export async function samplesForTests(): Promise<Samples> {
  const directory = join(cacheDirectory(), 'albumen-samples')
  await installModels({ directory, files: parseLock(samples) })
  return { photograph: (name) => join(directory, `${name}.jpg`), font: join(directory, 'DejaVuSans.ttf') }
}

/** A real model in the layout of the hub, which npm has: bytes by their path in its repository. */
export async function speechModelForTests(): Promise<Map<string, Buffer>> {
  const directory = join(cacheDirectory(), 'albumen-speech')
  const files = parseLock(speech)
  await installModels({ directory, files })
  const read = files.map(async ({ path, makes: [made] }) => {
    const inRepository = path.split('/').slice(4).join('/')
    return [inRepository, await readFile(join(directory, made!.file))] as const
  })
  return new Map(await Promise.all(read))
}

function cacheDirectory(): string {
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches')
  if (process.platform === 'win32') return join(homedir(), 'AppData', 'Local')
  return join(homedir(), '.cache')
}
