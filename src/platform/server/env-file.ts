import { existsSync, readFileSync } from 'node:fs'
import { env as environment } from 'node:process'
import { parseEnv } from 'node:util'
import { ConfigError, settingNames } from './config.ts'

/** Adds the settings in `.env` in the current folder to the environment, which wins, and returns their names. */
export function readEnvFile() {
  if (!existsSync('.env')) return []
  const settings = Object.entries(parseEnv(readText('.env')))
  for (const [name, value] of settings) environment[name] ??= value
  return settings.map(([name]) => name)
}

/** PowerShell writes UTF-16; read as UTF-8, its settings would be ignored silently. */
function readText(path: string) {
  try {
    const bytes = readFileSync(path)
    const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe
    return new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8').decode(bytes)
  } catch (error) {
    throw new ConfigError(`The file .env cannot be read (${(error as Error).message})`)
  }
}

/**
 * Warnings about names that look like a misspelled setting. Other unknown names are ignored, since other programs, such
 * as Docker Compose, read `.env` too.
 */
export function describeMisspelledSettings(names: string[]) {
  return names.flatMap((name) => {
    const meant = settingNames.includes(name) ? undefined : settingNames.find((known) => isTypoOf(name, known))
    return meant ? [`${name} in .env is not a setting of Albumen; did you mean ${meant}?`] : []
  })
}

/** Long names may contain two typos. */
function isTypoOf(name: string, known: string) {
  return editDistance(name.toUpperCase(), known) <= (known.length < 8 ? 1 : 2)
}

/** The optimal string alignment distance: characters inserted, deleted, replaced or transposed. */
function editDistance(one: string, other: string) {
  const rows = [Array.from({ length: other.length + 1 }, (_, column) => column)]
  for (let row = 1; row <= one.length; row++) {
    const distances = [row]
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1]
      const isTransposed = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      distances[column] = Math.min(
        rows[row - 1]![column]! + 1,
        distances[column - 1]! + 1,
        rows[row - 1]![column - 1]! + (isSame ? 0 : 1),
        isTransposed ? rows[row - 2]![column - 2]! + 1 : Number.POSITIVE_INFINITY,
      )
    }
    rows.push(distances)
  }
  return rows.at(-1)!.at(-1)!
}
