import { Link } from 'wouter'
import { Chip } from '#ui/chip.tsx'
import type { Media } from '../../contract.ts'
import { defaultView, libraryAddress } from '../library-view.ts'
import { TagSpark } from './tag-spark.tsx'

/** More than this many deserve to be counted. */
const countedAbove = 10

/** Tags with their origin; each leads to everything that it finds. */
export function TagList({ media }: { media: Media }) {
  const { aiTags } = media
  if (aiTags.length === 0) return <p className="text-faint text-sm">No tags yet</p>
  return (
    <>
      <ul className="flex flex-wrap gap-1.5">
        {aiTags.map((tag) => (
          <li key={tag} className="max-w-full">
            <Link
              href={libraryAddress({ ...defaultView, search: tag })}
              // Another list is read from its top.
              onClick={() => window.scrollTo(0, 0)}
              className="flex rounded-full"
            >
              <Chip
                icon={<TagSpark media={media} tag={tag} />}
                className="transition-colors hover:bg-line-strong hover:text-ink"
              >
                {tag}
              </Chip>
            </Link>
          </li>
        ))}
      </ul>
      {aiTags.length > countedAbove && <p className="figures mt-2 text-faint text-xs">Total: {aiTags.length} tags</p>}
    </>
  )
}
