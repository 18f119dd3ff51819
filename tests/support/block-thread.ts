/** Blocks this thread, as on a busy machine: nothing is read, written or called meanwhile. */
export function blockThread(ms: number) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
