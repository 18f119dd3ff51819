/** A name for one run, so that its progress finds its dialog. `crypto.randomUUID` is missing on plain http. */
export function newRunId() {
  return [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
