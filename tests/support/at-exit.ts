const last = new Set<() => void>()

/**
 * Does something at the latest when this process ends, by a fault, a signal or its own word; gives back a way to call it
 * off. What a run has started must not go on without it.
 */
export function atExit(work: () => void) {
  if (!process.listeners('exit').includes(doAll)) {
    process.on('exit', doAll)
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  }
  last.add(work)
  return () => last.delete(work)
}

function doAll() {
  for (const work of last) work()
}
