import { renditionWidths } from '#features/media/limits.ts'
import { isCrop } from '#shared/fit-picture.ts'
import type { DeliveryQuery } from './contract.ts'

/** The parameters in one order and without defaults, so that equal requests have equal texts. The signature is not part of it. */
export function queryText({ w, h, fit, q, format, p }: DeliveryQuery) {
  const cover = isCrop({ width: w, height: h, fit }) ? 'cover' : undefined
  const entries = Object.entries({ fit: cover, format, h, p, q, w })
  return entries.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`])).join('&')
}

/** What visitors may ask for without a signature: a preset, or one of the usual widths. */
export function isFreeToVisitors({ w, h, fit, q, p }: DeliveryQuery) {
  if (p !== undefined) return true
  const isUsual = w === undefined || (renditionWidths as readonly number[]).includes(w)
  return isUsual && h === undefined && q === undefined && fit !== 'cover'
}

export function fileAddressOf(slug: string, extension: string | undefined, query: DeliveryQuery) {
  const text = [queryText(query), query.s && `s=${query.s}`].filter(Boolean).join('&')
  return `/i/${slug}${extension ? `.${extension}` : ''}${text && `?${text}`}`
}
