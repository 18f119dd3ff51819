import type { Address, Answer, Route } from '#platform/contract.ts'
import { ApiError, splitAddress, urlOf } from './call.ts'

type Sending = { signal?: AbortSignal; onSent?: (sentBytes: number) => void }

/** One file as one field of a multipart request. */
export async function sendFile<R extends Route = never>(
  address: Address<R>,
  field: string,
  file: File,
  onSent?: Sending['onSent'],
): Promise<Answer<R>> {
  const answer = await sendForm<R>(address, { field, file }, { onSent })
  if (!answer) throw new Error('The connection was lost.')
  const { status, text } = answer
  if (status < 200 || status >= 300) throw new ApiError(status, text)
  try {
    return JSON.parse(text) as Answer<R>
  } catch (cause) {
    // A gateway's own page, for example.
    throw new Error('The answer could not be read.', { cause })
  }
}

type Form = { field: string; file: File; fields?: Record<string, string> }

/**
 * The same with text fields before the file, and the answer as it comes: undefined when there is none. By XMLHttpRequest:
 * fetch does not tell how many bytes have left.
 */
export function sendForm<R extends Route = never>(
  address: Address<R>,
  { field, file, fields = {} }: Form,
  { signal, onSent }: Sending = {},
) {
  const { method, path } = splitAddress(address)
  return new Promise<{ status: number; text: string } | undefined>((resolve) => {
    if (signal?.aborted) return resolve(undefined)
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.append(name, value)
    form.append(field, file)
    const request = new XMLHttpRequest()
    request.open(method, urlOf<Route>(path))
    request.withCredentials = true
    request.upload.onprogress = ({ lengthComputable, loaded, total }) => {
      // The form around the file adds a few bytes; the share is the same.
      if (lengthComputable) onSent?.(Math.round(file.size * (loaded / total)))
    }
    request.onload = () => resolve({ status: request.status, text: request.responseText || request.statusText })
    // Firefox ends a request without any other word when the page is being left, even if it stays after all.
    request.onloadend = () => resolve(undefined)
    signal?.addEventListener('abort', () => request.abort(), { once: true })
    request.send(form)
  })
}
