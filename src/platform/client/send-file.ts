import type { Answer, Route } from '#platform/contract.ts'
import { ApiError, addressOf } from './call.ts'

/** One file as one field of a multipart request. By XMLHttpRequest: fetch does not tell how many bytes have left. */
export function sendFile<R extends Route>(
  route: R,
  field: string,
  file: File,
  onSent?: (sentBytes: number) => void,
): Promise<Answer<R>> {
  return new Promise((resolve, reject) => {
    const form = new FormData()
    form.append(field, file)
    const request = new XMLHttpRequest()
    request.open(route.method, addressOf(route))
    request.withCredentials = true
    request.upload.onprogress = ({ lengthComputable, loaded, total }) => {
      // The form around the file adds a few bytes; the share is the same.
      if (lengthComputable) onSent?.(Math.round(file.size * (loaded / total)))
    }
    request.onload = () => {
      const { status, statusText, responseText } = request
      if (status < 200 || status >= 300) return reject(new ApiError(status, responseText || statusText))
      try {
        resolve(JSON.parse(responseText) as Answer<R>)
      } catch (cause) {
        // A gateway's own page, for example. Nobody hears what is thrown in here.
        reject(new Error('The answer could not be read.', { cause }))
      }
    }
    request.onerror = () => reject(new Error('The connection was lost.'))
    request.onabort = request.onerror
    request.send(form)
  })
}
