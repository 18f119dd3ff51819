const serverIsBack = 'server-is-back'
const firstPauseMs = 1000
const longestPauseMs = 60_000
let isWaiting = false

/** What did not come may come now: the line is back, or the server. */
export function whenBack(listen: () => void) {
  window.addEventListener('online', listen)
  window.addEventListener(serverIsBack, listen)
}

/** Something did not come. If that is since the server is away, it is asked for until it is back. */
export async function waitForServer() {
  if (isWaiting) return
  isWaiting = true
  let pauseMs = firstPauseMs
  for (; !(await isServerThere()); pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
  isWaiting = false
  // One that was never away has said what it had to say.
  if (pauseMs > firstPauseMs) window.dispatchEvent(new Event(serverIsBack))
}

/** A proxy that finds nobody behind it answers in the server's place. */
async function isServerThere() {
  const answer = await fetch(location.href, { method: 'HEAD', cache: 'no-store' }).catch(() => undefined)
  return answer !== undefined && answer.status < 500
}
