import type { Measurement } from '../support/measurements.ts'
import { rows } from './rows.ts'
import { openWorkshop } from './workshop.ts'

// Measures the row of that name in that folder, and tells the bench that started it.
const [name, folder] = process.argv.slice(2) as [string, string]
const found: Measurement[] = await rows[name]!(openWorkshop(folder))
process.send!(found, () => process.exit())
