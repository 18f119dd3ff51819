import { type KeyboardEvent, useState } from 'react'
import { Chip } from '#ui/chip.tsx'
import { useListFocus } from '#ui/focus/use-list-focus.ts'
import { Field } from '#ui/forms/field.tsx'
import type { ViewedMedia } from '../../contract.ts'
import { maxTagLength } from '../../limits.ts'
import { TagInput } from '../tag-input.tsx'
import { addTags } from './edit-draft.ts'
import { TagSpark } from './tag-spark.tsx'

type TagEditorProps = { media: ViewedMedia; tags: readonly string[]; onChange: (tags: readonly string[]) => void }

/** Removable tags and a field for new ones, which are added with Enter, a comma or blur. */
export function TagEditor({ media, tags, onChange }: TagEditorProps) {
  const [typed, setTyped] = useState('')
  /** Announced to screen readers, as adding a tag and removing one with Backspace are only visible changes. */
  const [news, setNews] = useState('')
  const list = useListFocus<HTMLUListElement>(tags.join())
  const change = (next: readonly string[]) => {
    const added = next.filter((tag) => !tags.includes(tag)).join(', ')
    const removed = tags.filter((tag) => !next.includes(tag)).join(', ')
    setNews([added && `Added ${added}`, removed && `Removed ${removed}`].filter(Boolean).join('. '))
    onChange(next)
  }
  const add = () => {
    if (typed.trim()) change(addTags(tags, typed))
    setTyped('')
  }
  const handleKey = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Backspace' && typed === '' && tags.length > 0) return change(tags.slice(0, -1))
    if (event.key !== ',' && (event.key !== 'Enter' || !typed.trim())) return
    // Enter in an empty field submits the form as usual.
    event.preventDefault()
    add()
  }
  return (
    <div className="flex flex-col gap-2">
      <Field
        label="Tags"
        hint="Press Enter or comma to add a tag."
        error={tags.some(({ length }) => length > maxTagLength) && `A tag can have up to ${maxTagLength} characters.`}
      >
        <TagInput
          value={typed}
          present={tags}
          placeholder="Add a tag"
          onValueChange={setTyped}
          onChoose={(tag) => {
            change(addTags(tags, tag))
            setTyped('')
          }}
          onKeyDown={handleKey}
          onBlur={add}
        />
      </Field>
      <p aria-live="polite" aria-atomic="true" className="sr-only">
        {news}
      </p>
      {tags.length > 0 && (
        <ul {...list} aria-label="Chosen tags" className="flex flex-wrap gap-1.5">
          {tags.map((tag) => (
            <li key={tag} className="max-w-full">
              <Chip
                icon={<TagSpark media={media} tag={tag} />}
                removeLabel={`Remove ${tag}`}
                onRemove={() => change(tags.filter((other) => other !== tag))}
              >
                {tag}
              </Chip>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
