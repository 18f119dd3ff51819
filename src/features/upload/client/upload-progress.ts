/** The bar waits here until the server has answered. */
const heldPercent = 90
export const simulatedStep = { percent: 10, everyMs: 200 }

/** Real bytes, held below the end. */
export function sentPercent(sentBytes: number, totalBytes: number): number {
  if (totalBytes <= 0) return heldPercent
  return Math.min(heldPercent, (sentBytes / totalBytes) * 100)
}

/** Where the browser reports no bytes, time passes for progress. */
export function simulatedPercent(percent: number): number {
  return Math.min(heldPercent, percent + simulatedStep.percent)
}

type Part = { percent: number; file: { size: number } }

/** All bars as one, each weighing as much as its file. */
export function overallPercent(parts: readonly Part[]): number {
  const weightOf = ({ file }: Part) => Math.max(1, file.size)
  const total = parts.reduce((sum, part) => sum + weightOf(part), 0)
  if (total === 0) return 0
  return parts.reduce((sum, part) => sum + part.percent * weightOf(part), 0) / total
}
