import type { Address, ResponseOf, Route } from '#platform/contract.ts'
import { urlOf } from '#platform/url-of.ts'
import { ApiError, splitAddress } from './call.ts'

type SendOptions = { signal?: AbortSignal; onSent?: (sentBytes: number) => void }

/** Sends one file as a multipart request and parses the response. */
export async function sendFile<R extends Route = never>(
  address: Address<R>,
  field: string,
  file: File,
  onSent?: SendOptions['onSent'],
  params?: Record<string, unknown>,
): Promise<ResponseOf<R>> {
  const answer = await sendForm<R>(address, { field, file, params }, { onSent })
  if (!answer) throw new Error('The connection was lost.')
  const { status, text } = answer
  if (status < 200 || status >= 300) throw new ApiError(status, text)
  try {
    return JSON.parse(text) as ResponseOf<R>
  } catch (cause) {
    // The response may be a gateway's own page.
    throw new Error('The response could not be read.', { cause })
  }
}

type Form = { field: string; file: File; fields?: Record<string, string>; params?: Record<string, unknown> }

/**
 * Sends a file, with text fields before it, and resolves with the raw response, or undefined when there is none.
 * It uses XMLHttpRequest because fetch does not report upload progress.
 */
export function sendForm<R extends Route = never>(
  address: Address<R>,
  { field, file, fields = {}, params }: Form,
  { signal, onSent }: SendOptions = {},
) {
  const { method, path } = splitAddress(address)
  return new Promise<{ status: number; text: string } | undefined>((resolve) => {
    if (signal?.aborted) return resolve(undefined)
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.append(name, value)
    form.append(field, file)
    const request = new XMLHttpRequest()
    request.open(method, urlOf<Route>(path, params))
    request.withCredentials = true
    request.upload.onprogress = ({ lengthComputable, loaded, total }) => {
      // The total includes the form's few extra bytes, so the share is applied to the file's size.
      if (lengthComputable) onSent?.(Math.round(file.size * (loaded / total)))
    }
    request.onload = () => resolve({ status: request.status, text: request.responseText || request.statusText })
    // Firefox fires only this event when a page is being closed, even if the user then stays on it.
    request.onloadend = () => resolve(undefined)
    signal?.addEventListener('abort', () => request.abort(), { once: true })
    request.send(form)
  })
}
