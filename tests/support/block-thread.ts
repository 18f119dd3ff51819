/** As a busy machine does it to a process: for so long nothing here is read, written or called. */
export function blockThread(ms: number) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
