import { type FormEvent, useState } from 'react'
import { messageOf } from '#platform/client/call.ts'
import { maxSlugLength, minSlugLength, toSlugInput } from '#shared/slug.ts'
import { Button } from '#ui/button.tsx'
import { Field } from '#ui/forms/field.tsx'
import { Input } from '#ui/forms/input.tsx'
import { useEscape } from '#ui/layers/use-escape.ts'
import type { Media } from '../../contract.ts'
import { useRenamePublicUrl } from './viewer-mutations.ts'

/** Accepts only characters that are allowed in an address. */
export function SlugForm({ media, onDone }: { media: Media; onDone: () => void }) {
  const [slug, setSlug] = useState(media.publicUrlSlug ?? '')
  const rename = useRenamePublicUrl()
  // See [Note: One Escape, one layer].
  useEscape(true, onDone)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (slug.length >= minSlugLength) rename.mutate({ id: media.id, slug }, { onSuccess: onDone })
  }
  return (
    <form noValidate onSubmit={submit} className="mt-3 flex flex-col gap-2.5">
      <Field
        label="Public URL"
        hint={`${minSlugLength} to ${maxSlugLength} lowercase letters, digits and hyphens. The old link will redirect here.`}
        error={rename.error && messageOf(rename.error, 'Failed to update URL.')}
      >
        <Input
          autoFocus
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={maxSlugLength}
          value={slug}
          onChange={({ target }) => setSlug(toSlugInput(target.value))}
        />
      </Field>
      <div className="flex justify-end gap-2">
        <Button size="sm" onClick={onDone}>
          Cancel
        </Button>
        <Button size="sm" type="submit" variant="primary" disabled={slug.length < minSlugLength || rename.isPending}>
          Update
        </Button>
      </div>
    </form>
  )
}
