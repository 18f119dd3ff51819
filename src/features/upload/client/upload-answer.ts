import { ApiError, isOfProxysLimit, messageOf } from '#platform/client/call.ts'
import type { UploadOutcome } from './upload-outcome.ts'

/** Statuses that speak about the file itself: sent again, it would be refused again. */
const aboutTheFile = [400, 413, 415]

/** What an answer to one file means for it. */
export function readUploadAnswer(status: number, text: string): UploadOutcome {
  if (status >= 200 && status < 300) return { status: 'done', ...itemIn(text) }
  const error = new ApiError(status, text)
  const message = messageOf(error, 'Upload failed')
  // A full quota can be emptied, and a limit raised; then the same file is welcome.
  const mayPassLater = isOverQuota(error.body) || isOfProxysLimit(error)
  return { status: aboutTheFile.includes(status) && !mayPassLater ? 'refused' : 'failed', message }
}

function itemIn(text: string): { mediaId?: number; wasThere?: boolean } {
  try {
    const { media, alreadyThere } = JSON.parse(text)
    return { mediaId: media[0].id, wasThere: alreadyThere?.includes(media[0].id) }
  } catch {
    // It is in the library, whatever a proxy made of the answer.
    return {}
  }
}

function isOverQuota(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'isOverQuota' in body && body.isOverQuota === true
}
