import type { Route } from './contract.ts'

/** The URL of a call. The server uses it too, so that what a page preloads is exactly what the client then requests. */
export function urlOf<R extends Route = never>(
  pattern: R['path'],
  params?: Record<string, unknown>,
  query?: Record<string, unknown>,
) {
  const path = pattern.replace(/:(\w+)/g, (_match, name: string) => encodeURIComponent(String(params?.[name])))
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== '')
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
  return given.length > 0 ? `${path}?${search}` : path
}
