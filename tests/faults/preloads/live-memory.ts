import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

// Loaded before the product: says how much memory is really in use, with everything that can go gone.
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

process.on('message', () => {
  collect()
  // Finalizers of what was collected run in a turn of their own, and let more go.
  setImmediate(() => {
    collect()
    const { heapUsed, external, rss } = process.memoryUsage()
    process.send?.({ liveBytes: heapUsed + external, residentBytes: rss })
  })
})
