import { call } from '#platform/client/call.ts'
import { uploadApi } from '../contract.ts'
import { readUploadAnswer } from './upload-answer.ts'
import { connectionLost, type UploadOutcome } from './upload-outcome.ts'
import type { SendFile, Travel } from './uploader.ts'

/** Into its collection as well, if that is still there: a file is not kept out because its collection was deleted meanwhile. */
export const sendFile: SendFile = async (file, fields, { batch, index, collectionId, ...travel }) => {
  batch.beganAt ??= askForMoment()
  const beganAt = await batch.beganAt
  const sent = { ...fields, ...(beganAt && { addedAt: new Date(beganAt + index).toISOString() }) }
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

type Answer = { status: number; text: string }

const outcomeOf = (answer: Answer | undefined): UploadOutcome =>
  answer ? readUploadAnswer(answer.status, answer.text) : connectionLost

/** By XMLHttpRequest: fetch does not tell how many bytes have left. Undefined when no answer came. */
const post = (file: File, fields: Record<string, string>, { signal, onBegun, onSent }: Travel) =>
  new Promise<Answer | undefined>((resolve) => {
    if (signal.aborted) return resolve(undefined)
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.append(name, value)
    form.append('files', file, file.name)

    const request = new XMLHttpRequest()
    request.open(uploadApi.upload.method, uploadApi.upload.path)
    request.withCredentials = true
    request.upload.onprogress = ({ lengthComputable, loaded, total }) => {
      // The form around the file adds a few bytes; the share is the same.
      if (lengthComputable) onSent(Math.round(file.size * (loaded / total)))
    }
    request.onload = () => resolve({ status: request.status, text: request.responseText || request.statusText })
    request.onerror = () => resolve(undefined)
    request.onabort = () => resolve(undefined)
    signal.addEventListener('abort', () => request.abort(), { once: true })
    onBegun()
    request.send(form)
  })
