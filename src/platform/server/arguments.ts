import { parseArgs } from 'node:util'
import { ConfigError } from './config.ts'

/** What was written behind `npm start --`, as settings: they win over the environment. */
export function settingsFromArguments(args: string[]): Record<string, string> {
  try {
    const { role } = parseArgs({ args, options: { role: { type: 'string' } } }).values
    return role === undefined ? {} : { ROLE: role }
  } catch {
    throw new ConfigError(
      `"${args.join(' ')}" is not understood: only --role=web, --role=worker and --role=both can be given`,
    )
  }
}
