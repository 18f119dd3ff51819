import { useState } from 'react'

/**
 * A name for what a dialog asks for, so that its progress finds it, and so that it is not done twice when it is asked for again
 * because the answer got lost: the same for as long as the dialog is open.
 */
export function useRunId(): string {
  const [runId] = useState(newRunId)
  return runId
}

/** `crypto.randomUUID` is missing on plain http. */
export function newRunId() {
  return [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
