import { countOf } from '#shared/count.ts'
import type { Media } from '../../contract.ts'

/** Where visitors see an item that has no address of its own: with its public collections. Undefined when nowhere. */
export function publicPagesOf(collections: Media['collections']): string | undefined {
  const [first, ...others] = collections.filter(({ isPublic }) => isPublic)
  if (!first) return undefined
  const more = others.length > 0 ? ` and ${countOf(others.length, 'other')}` : ''
  return `the public ${more ? 'pages' : 'page'} of "${first.name}"${more}`
}
