import { countOf } from '#shared/count.ts'
import { ImageWithFallback } from '#ui/image-with-fallback.tsx'
import type { NewName } from '../contract.ts'

const shownNames = 200

/** Names before and after, which a user reviews before they are given. */
export function NameList({ names, unchanged }: { names: NewName[]; unchanged: number }) {
  if (names.length === 0) return <p className="text-muted">All items already have matching names.</p>
  return (
    <>
      <ul aria-label="New names" className="divide-y divide-line text-sm">
        {names.slice(0, shownNames).map(({ id, from, to, thumbnailUrl }) => (
          <li key={id} className="flex items-center gap-3 py-2">
            <ImageWithFallback sources={[thumbnailUrl]} alt="" className="w-10 shrink-0 rounded-sm" />
            <p className="wrap-anywhere min-w-0">
              <span className="text-muted line-through">{from}</span>
              <br />
              {to}
            </p>
          </li>
        ))}
      </ul>
      <p className="pt-3 text-muted text-sm">
        {names.length > shownNames && `And ${countOf(names.length - shownNames, 'more item')}. `}
        {unchanged > 0 && `${countOf(unchanged, 'item')} unchanged.`}
      </p>
    </>
  )
}
