import type { FastifyInstance } from 'fastify'

/** Gets to know every route that is bound from now on, and tells what can be done at an address: `GET`, `POST`. */
export function knowMethods(app: FastifyInstance) {
  const known: { method: string; segments: string[] }[] = []
  app.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) known.push({ method: each, segments: url.split('/') })
  })
  return (pathname: string) => {
    const given = pathname.split('/')
    const fitting = known.filter(
      ({ segments }) =>
        segments.length === given.length &&
        segments.every((segment, place) => (segment.startsWith(':') ? given[place] !== '' : segment === given[place])),
    )
    return [...new Set(fitting.map(({ method }) => method))].sort()
  }
}
