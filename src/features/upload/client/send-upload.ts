import { call } from '#platform/client/call.ts'
import { sendForm } from '#platform/client/send-file.ts'
import { uploadApi } from '../contract.ts'
import { readUploadAnswer } from './upload-answer.ts'
import { connectionLost, type UploadOutcome } from './upload-outcome.ts'
import type { SendFile, Travel } from './uploader.ts'

/** Into its collection as well, if that is still there: a file is not kept out because its collection was deleted meanwhile. */
export const sendUpload: SendFile = async (file, fields, { batch, index, collectionId, ...travel }) => {
  batch.beganAt ??= askForMoment()
  const beganAt = await batch.beganAt
  const sent = { ...fields, filename: file.name, ...(beganAt && { addedAt: new Date(beganAt + index).toISOString() }) }
  if (collectionId !== undefined && !batch.lostCollections.has(collectionId)) {
    const answer = await post(file, { ...sent, collectionId: String(collectionId) }, travel)
    if (answer?.status !== 404) return { collectionId, ...outcomeOf(answer) }
    batch.lostCollections.add(collectionId)
  }
  return { ...outcomeOf(await post(file, sent, travel)), collectionId: undefined }
}

/** Without it the files are uploaded all the same, in the order in which they arrive. */
async function askForMoment(): Promise<number | undefined> {
  try {
    return Date.parse((await call(uploadApi.begin)).beganAt)
  } catch {
    return undefined
  }
}

function post(file: File, fields: Record<string, string>, { signal, onBegun, onSent }: Travel) {
  if (!signal.aborted) onBegun()
  return sendForm(uploadApi.upload, { field: 'files', file, fields }, { signal, onSent })
}

const outcomeOf = (answer: Awaited<ReturnType<typeof post>>): UploadOutcome =>
  answer ? readUploadAnswer(answer.status, answer.text) : connectionLost
