import type { Row } from './row.ts'

const items = 100_000
const starts = 3

export const start: Row = async (workspace) => {
  const seconds: number[] = []
  let cpuSeconds = 0
  for (let count = 0; count < starts; count++) {
    const product = await workspace.openLibrary(items)
    seconds.push(product.firstResponseMs / 1000)
    cpuSeconds = product.firstResponseCpuMs / 1000
    await product.stop()
  }
  const best = Math.min(...seconds)
  return [
    {
      what: 'start to first answer with 100,000 items',
      context: '',
      figure: `${best.toFixed(2)} s (the best of ${starts}; ${cpuSeconds.toFixed(2)} s CPU)`,
      toReach: 'at most 1.5 s',
      isReached: best <= 1.5,
    },
  ]
}
