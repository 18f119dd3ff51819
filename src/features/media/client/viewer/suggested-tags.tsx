import Check from 'lucide-react/icons/check'
import { useEffect, useRef, useState } from 'react'
import { countOf } from '#shared/count.ts'
import { Button } from '#ui/button.tsx'
import { Chip } from '#ui/chip.tsx'
import { classNames } from '#ui/class-names.ts'
import type { Media } from '../../contract.ts'
import { useAddTags } from './viewer-mutations.ts'

export const nothingSuggested = 'No more suggestions for this item.'

type SuggestedTagsProps = { media: Media; suggested: readonly string[]; onClose: () => void }

/** The tags suggested by the AI. Those already on the item are marked as added; the others can be selected and added. */
export function SuggestedTags({ media, suggested, onClose }: SuggestedTagsProps) {
  const [chosen, setChosen] = useState<readonly string[]>([])
  const isNew = (tag: string) => !media.aiTags.includes(tag)
  const [hadNew] = useState(() => suggested.some(isNew))
  const addTags = useAddTags()
  const sectionRef = useRef<HTMLElement>(null)
  // On a phone they appear below the visible part of the panel. The body is in braces because `scrollIntoView` may return a
  // promise, which React would treat as a cleanup function.
  useEffect(() => {
    sectionRef.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  const toggle = (tag: string) =>
    setChosen(chosen.includes(tag) ? chosen.filter((other) => other !== tag) : [...chosen, tag])
  const add = () => addTags.mutate({ id: media.id, addTags: [...chosen] }, { onSuccess: () => setChosen([]) })
  return (
    <section
      ref={sectionRef}
      aria-label="Suggested tags"
      className="mt-3 animate-fade-in rounded-md border border-line bg-raised p-3"
    >
      {!hadNew && <p className="text-muted text-sm">{nothingSuggested}</p>}
      {suggested.length > 0 && (
        <ul className={classNames('flex flex-wrap gap-1.5', !hadNew && 'mt-2')}>
          {suggested.map((tag) => (
            <li key={tag} className="max-w-full">
              {isNew(tag) ? (
                <Chip isPressed={chosen.includes(tag)} onPress={() => toggle(tag)}>
                  {tag}
                </Chip>
              ) : (
                <Chip disabled isPressed={false} icon={<Check aria-hidden="true" />} onPress={() => undefined}>
                  {tag} · Added
                </Chip>
              )}
            </li>
          ))}
        </ul>
      )}
      <div className="mt-3 flex justify-end gap-2">
        <Button size="sm" variant="quiet" onClick={onClose}>
          Close
        </Button>
        {suggested.some(isNew) && (
          <Button size="sm" disabled={chosen.length === 0} isPending={addTags.isPending} onClick={add}>
            {chosen.length === 0 ? 'Add tags' : `Add ${countOf(chosen.length, 'tag')}`}
          </Button>
        )}
      </div>
    </section>
  )
}
