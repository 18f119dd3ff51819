import { accessSync, constants, statSync } from 'node:fs'

/** Whether there is a file that this process may start. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
