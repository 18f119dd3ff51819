import type { Measurement } from '../support/measurements.ts'
import { rows } from './rows.ts'
import { openWorkspace } from './workspace.ts'

// Measures the given row in the given folder, and sends the result to the parent process.
const [name, folder] = process.argv.slice(2) as [string, string]
const found: Measurement[] = await rows[name]!(openWorkspace(folder))
process.send!(found, () => process.exit())
