const serverIsBack = 'server-is-back'
const firstPauseMs = 1000
const longestPauseMs = 60_000
let isWaiting = false

/** Calls back when the connection or the server is back, so that failed requests can be retried. */
export function onReconnect(listen: () => void) {
  window.addEventListener('online', listen)
  window.addEventListener(serverIsBack, listen)
}

/** After a failed request, polls the server until it answers; returns at once if it is up. */
export async function waitForServer() {
  if (isWaiting) return
  isWaiting = true
  let pauseMs = firstPauseMs
  for (; !(await isServerThere()); pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
  isWaiting = false
  // If the server was never down, a retry would fail the same way.
  if (pauseMs > firstPauseMs) window.dispatchEvent(new Event(serverIsBack))
}

/** A proxy answers with a 5xx status while the server behind it is down. */
async function isServerThere() {
  const answer = await fetch(location.href, { method: 'HEAD', cache: 'no-store' }).catch(() => undefined)
  return answer !== undefined && answer.status < 500
}
