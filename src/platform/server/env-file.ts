import { existsSync, readFileSync } from 'node:fs'
import { env as environment } from 'node:process'
import { parseEnv } from 'node:util'
import { ConfigError } from './config.ts'

/** Takes the settings of a file `.env` in the current folder and returns their names; what the environment already says wins. */
export function readEnvFile() {
  if (!existsSync('.env')) return []
  const settings = Object.entries(parseEnv(readText('.env')))
  for (const [name, value] of settings) environment[name] ??= value
  return settings.map(([name]) => name)
}

/** A shell of Windows writes UTF-16, of which nothing would be understood and nothing said. */
function readText(path: string) {
  try {
    const bytes = readFileSync(path)
    const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe
    return new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8').decode(bytes)
  } catch (error) {
    throw new ConfigError(`The file .env cannot be read (${(error as Error).message})`)
  }
}
