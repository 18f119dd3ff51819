import Sparkles from 'lucide-react/icons/sparkles'
import { Chip } from '#ui/chip.tsx'
import type { Media } from '../../contract.ts'

/** More than this many deserve to be counted. */
const countedAbove = 10

/** Tags with their origin: a spark for what a model found. */
export function TagList({ media }: { media: Media }) {
  const { aiTags, tagOrigins } = media
  if (aiTags.length === 0) return <p className="text-faint text-sm">No tags yet</p>
  const madeByAi = new Set(tagOrigins.filter(({ source }) => source === 'ai').map(({ tag }) => tag))
  return (
    <>
      <ul className="flex flex-wrap gap-1.5">
        {aiTags.map((tag) => (
          <li key={tag} className="max-w-full">
            <Chip icon={madeByAi.has(tag) && <Sparkles role="img" aria-label="Found by AI" className="text-faint" />}>
              {tag}
            </Chip>
          </li>
        ))}
      </ul>
      {aiTags.length > countedAbove && <p className="figures mt-2 text-faint text-xs">Total: {aiTags.length} tags</p>}
    </>
  )
}
