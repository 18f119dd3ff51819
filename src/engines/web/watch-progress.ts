import type { WebLimits } from './web-limits.ts'

/** Calls `onStall` when too little has arrived in one of the windows; what arrives is counted unpacked. */
export function watchProgress({ stallMs, stallBytes }: Pick<WebLimits, 'stallMs' | 'stallBytes'>, onStall: () => void) {
  let arrived = 0
  const timer = setInterval(() => {
    if (arrived < stallBytes) onStall()
    arrived = 0
  }, stallMs)
  return {
    count(bytes: number) {
      arrived += bytes
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}
