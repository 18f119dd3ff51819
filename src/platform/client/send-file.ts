import type { Answer, Route } from '#platform/contract.ts'
import { ApiError, addressOf } from './call.ts'

/** One file as one field of a multipart request. */
export async function sendFile<R extends Route>(route: R, field: string, file: File): Promise<Answer<R>> {
  const body = new FormData()
  body.append(field, file)
  const response = await fetch(addressOf(route), { method: route.method, credentials: 'include', body })
  if (!response.ok) throw new ApiError(response.status, (await response.text()) || response.statusText)
  return (await response.json()) as Answer<R>
}
