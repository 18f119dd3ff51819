import { existsSync } from 'node:fs'

/** Settings from a file `.env` in the current folder; what the environment already says wins. */
export function readEnvFile() {
  if (existsSync('.env')) process.loadEnvFile('.env')
}
