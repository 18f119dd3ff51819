const cleanups = new Set<() => void>()

/**
 * Runs the work when this process exits, also after an error or a signal, so that what a test run started does not outlive
 * it. The returned function cancels it.
 */
export function atExit(work: () => void) {
  if (!process.listeners('exit').includes(runAll)) {
    process.on('exit', runAll)
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  }
  cleanups.add(work)
  return () => cleanups.delete(work)
}

function runAll() {
  for (const work of cleanups) work()
}
