import { useState } from 'react'
import { sendFile } from '#platform/client/send-file.ts'
import type { Route } from '#platform/contract.ts'
import { addSample, type Sample } from '#shared/pace.ts'

/** Sends one large file, and remembers when how many of its bytes had gone. */
export function useSending<R extends Route>(route: R, field: string) {
  const [samples, setSamples] = useState<readonly Sample[]>([])
  const sample = (bytes: number): Sample => ({ atMs: performance.now(), bytes })
  const send = (file: File) => {
    setSamples([sample(0)])
    return sendFile(route, field, file, (bytes) => setSamples((before) => addSample(before, sample(bytes))))
  }
  return { samples, send }
}
