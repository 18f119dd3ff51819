import type { WebLimits } from './web-limits.ts'

/**
 * Calls `onStall` when too little has arrived in one of the windows; what arrives is counted unpacked. What has come while
 * this process itself stood still is read before it is counted.
 */
export function watchProgress({ stallMs, stallBytes }: Pick<WebLimits, 'stallMs' | 'stallBytes'>, onStall: () => void) {
  let arrived = 0
  let looking: NodeJS.Immediate | undefined
  const look = () => {
    if (arrived < stallBytes) onStall()
    arrived = 0
  }
  const timer = setInterval(() => {
    looking = setImmediate(look)
  }, stallMs)
  return {
    count(bytes: number) {
      arrived += bytes
    },
    [Symbol.dispose]() {
      clearInterval(timer)
      clearImmediate(looking)
    },
  }
}
