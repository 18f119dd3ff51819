import { useState } from 'react'

/**
 * An id for the run that a dialog starts, constant while the dialog is open. Progress events carry it, and the server
 * does not start a second run when the request is repeated because its response was lost.
 */
export function useRunId(): string {
  const [runId] = useState(newRunId)
  return runId
}

/** `crypto.randomUUID` does not exist on plain http. */
export function newRunId() {
  return [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
