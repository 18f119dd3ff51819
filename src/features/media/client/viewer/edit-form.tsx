import type { ComponentType, FormEvent } from 'react'
import type { FocalPoint } from '#shared/cover-crop.ts'
import { maxFilenameLength } from '#shared/filenames.ts'
import { Button } from '#ui/button.tsx'
import { Field } from '#ui/forms/field.tsx'
import { Input } from '#ui/forms/input.tsx'
import { Textarea } from '#ui/forms/textarea.tsx'
import { LazyBoundary } from '#ui/lazy-boundary.tsx'
import type { Media, ViewedMedia } from '../../contract.ts'
import { maxDescriptionLength } from '../../limits.ts'
import { useSaveMedia } from '../mutations.ts'
import { type EditDraft, isChanged, patchOf } from './edit-draft.ts'
import { TagEditor } from './tag-editor.tsx'
import type { WordsDraft } from './words-draft.ts'
import { AltTextFields, RightsFields } from './words-fields.tsx'

type EditFormProps = {
  media: ViewedMedia
  /** The item as it was when editing began. */
  initial: ViewedMedia
  draft: EditDraft
  onChange: (draft: EditDraft) => void
  /** Called after canceling or if there is nothing to save. */
  onDone: () => void
  onSaved: (sent: EditDraft) => void
  FocalField: FocalFieldType
}

/** Passed in, because the presets that it previews belong to a feature that depends on this one. */
export type FocalFieldType = ComponentType<{
  media: Media
  value: FocalPoint | null
  onChange: (point: FocalPoint | null) => void
}>

export function EditForm(props: EditFormProps) {
  const { media, initial, draft, onChange, onDone, onSaved, FocalField } = props
  const save = useSaveMedia()
  const changeWords = (words: WordsDraft) => onChange({ ...draft, words })
  const isNameMissing = draft.filename.trim() === ''
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isNameMissing) return
    if (!isChanged(draft, initial)) return onDone()
    save.mutate({ id: media.id, patch: patchOf(draft, initial, media) }, { onSuccess: () => onSaved(draft) })
  }
  return (
    <form noValidate onSubmit={submit} className="flex min-h-0 grow flex-col">
      <div className="flex min-h-0 grow flex-col gap-4 overflow-y-auto overscroll-contain p-5">
        <Field label="Filename" error={isNameMissing && 'Please enter a name.'}>
          <Input
            autoFocus
            autoComplete="off"
            maxLength={maxFilenameLength}
            value={draft.filename}
            onChange={({ target }) => onChange({ ...draft, filename: target.value })}
          />
        </Field>
        <AltTextFields media={media} words={draft.words} onChange={changeWords} />
        <Field label="Description">
          <Textarea
            maxLength={maxDescriptionLength}
            value={draft.userDescription}
            onChange={({ target }) => onChange({ ...draft, userDescription: target.value })}
          />
        </Field>
        <Field label="AI description">
          <Textarea
            maxLength={maxDescriptionLength}
            value={draft.aiDescription}
            onChange={({ target }) => onChange({ ...draft, aiDescription: target.value })}
          />
        </Field>
        <TagEditor media={media} tags={draft.tags} onChange={(tags) => onChange({ ...draft, tags })} />
        <RightsFields media={media} words={draft.words} onChange={changeWords} />
        <LazyBoundary>
          <FocalField
            media={media}
            value={draft.focalPoint}
            onChange={(focalPoint) => onChange({ ...draft, focalPoint })}
          />
        </LazyBoundary>
      </div>
      <div className="flex shrink-0 justify-end gap-2 border-line border-t p-3">
        <Button onClick={onDone} disabled={save.isPending}>
          Cancel
        </Button>
        <Button type="submit" variant="primary" disabled={isNameMissing} isPending={save.isPending}>
          Save
        </Button>
      </div>
    </form>
  )
}
