import { monitorEventLoopDelay } from 'node:perf_hooks'

// Loaded before the product: measures how long a turn of its event loop waits, between `begin` and `end`.
const resolution = 10
const histogram = monitorEventLoopDelay({ resolution })

process.on('message', (message) => {
  if ('begin' in (message as object)) {
    histogram.reset()
    histogram.enable()
    process.send?.('heard')
    return
  }
  histogram.disable()
  process.send?.({ p99Ms: Math.max(0, histogram.percentile(99) / 1e6 - resolution) })
})
