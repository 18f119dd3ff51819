import { ApiError, call, isProxyLimit, messageOf } from '#platform/client/call.ts'
import { sendForm } from '#platform/client/send-file.ts'
import type { uploadApi } from '../contract.ts'
import { connectionLost, type SendEvents, type SendFile, type UploadOutcome } from './uploader.ts'

/** Uploads a file into its collection, or into the library alone if the collection has been deleted meanwhile. */
export const sendUpload: SendFile = async (file, fields, { batch, index, collectionId, ...events }) => {
  batch.beganAt ??= fetchServerTime()
  const beganAt = await batch.beganAt
  const sent = { ...fields, filename: file.name, ...(beganAt && { addedAt: new Date(beganAt + index).toISOString() }) }
  if (collectionId !== undefined && !batch.lostCollections.has(collectionId)) {
    const response = await post(file, { ...sent, collectionId: String(collectionId) }, events)
    if (response?.status !== 404) return { collectionId, ...outcomeOf(response) }
    batch.lostCollections.add(collectionId)
  }
  return { ...outcomeOf(await post(file, sent, events)), collectionId: undefined }
}

/** If this fails, the files are still uploaded and sorted by the time of their arrival. */
async function fetchServerTime(): Promise<number | undefined> {
  try {
    return Date.parse((await call<typeof uploadApi.begin>('POST /api/upload/begin')).beganAt)
  } catch {
    return undefined
  }
}

function post(file: File, fields: Record<string, string>, { signal, onBegun, onSent }: SendEvents) {
  if (!signal.aborted) onBegun()
  return sendForm<typeof uploadApi.upload>('POST /api/upload', { field: 'files', file, fields }, { signal, onSent })
}

const outcomeOf = (response: Awaited<ReturnType<typeof post>>): UploadOutcome =>
  response ? readUploadResponse(response.status, response.text) : connectionLost

/** Statuses that refuse the file itself, so a retry would fail again. */
const refusingStatuses = [400, 413, 415]

/** The outcome of a file from the response to its upload. */
export function readUploadResponse(status: number, text: string): UploadOutcome {
  if (status >= 200 && status < 300) return { status: 'done', ...itemIn(text) }
  const error = new ApiError(status, text)
  const message = messageOf(error, 'Upload failed')
  // The quota can be freed and the proxy's limit raised, so these can be retried.
  const canRetry = isOverQuota(error.body) || isProxyLimit(error)
  return { status: refusingStatuses.includes(status) && !canRetry ? 'refused' : 'failed', message }
}

function itemIn(text: string): { mediaId?: number; isDuplicate?: boolean } {
  try {
    const { media, alreadyThere } = JSON.parse(text)
    return { mediaId: media[0].id, isDuplicate: alreadyThere?.includes(media[0].id) }
  } catch {
    // The upload succeeded even if a proxy replaced the response body.
    return {}
  }
}

function isOverQuota(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'isOverQuota' in body && body.isOverQuota === true
}
