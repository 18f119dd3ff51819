import { Chip } from '#ui/chip.tsx'
import type { ViewedMedia } from '../../contract.ts'
import { openList } from '../../library-view.ts'
import { tagSearch } from '../../search-query.ts'
import { ListLink } from '../list-link.tsx'
import { TagSpark } from './tag-spark.tsx'

/** A count is shown above this number of tags. */
const countedAbove = 10

/** Tags with their source; each links to a search for it. */
export function TagList({ media }: { media: ViewedMedia }) {
  const { aiTags } = media
  if (aiTags.length === 0) return <p className="text-faint text-sm">No tags yet</p>
  return (
    <>
      <ul className="flex flex-wrap gap-1.5">
        {aiTags.map((tag) => (
          <li key={tag} className="max-w-full">
            <ListLink to={{ ...openList({ filter: 'all' }), search: tagSearch(tag) }} className="flex rounded-full">
              <Chip icon={<TagSpark media={media} tag={tag} />} className="hover:bg-line-strong hover:text-ink">
                {tag}
              </Chip>
            </ListLink>
          </li>
        ))}
      </ul>
      {aiTags.length > countedAbove && <p className="figures mt-2 text-faint text-xs">Total: {aiTags.length} tags</p>}
    </>
  )
}
