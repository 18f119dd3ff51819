import { countOf } from '#shared/count.ts'
import type { Media } from '../../contract.ts'

/** Describes where visitors see an item without a public address: in its public collections. Undefined if nowhere. */
export function publicPagesOf(collections: Media['collections']): string | undefined {
  const [first, ...others] = collections.filter(({ isPublic }) => isPublic)
  if (!first) return undefined
  const more = others.length > 0 ? ` and ${countOf(others.length, 'other')}` : ''
  return `the public ${more ? 'pages' : 'page'} of "${first.name}"${more}`
}
