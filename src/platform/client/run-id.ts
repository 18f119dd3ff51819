import { useState } from 'react'

/** A name for one run, so that its progress finds its dialog: the same for as long as the dialog is open. */
export function useRunId(): string {
  const [runId] = useState(newRunId)
  return runId
}

/** `crypto.randomUUID` is missing on plain http. */
function newRunId() {
  return [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
