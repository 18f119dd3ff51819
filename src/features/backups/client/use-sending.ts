import { useState } from 'react'
import { isServerError } from '#platform/client/retry.ts'
import { sendFile } from '#platform/client/send-file.ts'
import type { Address, Route } from '#platform/contract.ts'
import { addSpeedSample, type SpeedSample } from '#shared/transfer-speed.ts'

/** The file was sent completely, but the response was lost: the server may still be working, or be done. */
export class NoAnswer extends Error {
  readonly advice = 'No response after the file was sent. It may have been accepted. Check before retrying.'
}

/** Sends one large file and records samples of its progress. */
export function useSending<R extends Route = never>(address: Address<R>, field: string) {
  const [samples, setSamples] = useState<readonly SpeedSample[]>([])
  const sample = (bytes: number): SpeedSample => ({ atMs: performance.now(), bytes })
  const send = async (file: File) => {
    let sentBytes = 0
    setSamples([sample(0)])
    try {
      return await sendFile<R>(address, field, file, (bytes) => {
        sentBytes = bytes
        setSamples((before) => addSpeedSample(before, sample(bytes)))
      })
    } catch (error) {
      throw sentBytes < file.size || isServerError(error) ? error : new NoAnswer('', { cause: error })
    }
  }
  return { samples, send }
}
