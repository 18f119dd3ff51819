import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useRef, useState } from 'react'
import type { Collection } from '#features/collections/contract.ts'
import type { Branding } from '#features/websites/branding.ts'
import { failureReason } from '#platform/client/call.ts'
import { Button } from '#ui/button.tsx'
import { Field } from '#ui/forms/field.tsx'
import { Input } from '#ui/forms/input.tsx'
import { LoadFailure } from '#ui/load-failure.tsx'
import { ScrollArea } from '#ui/scroll-area.tsx'
import { useDebouncedValue } from '#ui/use-debounced-value.ts'
import { sharingQueries } from '../queries.ts'
import { BrandingFields } from './branding-fields.tsx'
import { Palettes } from './palettes.tsx'
import { scrollTopByKey } from './scroll-top-by-key.ts'

type BrandingPanelProps = {
  collection: Collection
  branding: Branding
  onChange: (part: Branding) => void
  onSave: () => void
  isSaving: boolean
}

/** The fields on the left, and on the right a preview of the page. */
export function BrandingPanel({ collection, branding, onChange: change, onSave, isSaving }: BrandingPanelProps) {
  const { data, error, refetch } = useQuery(sharingQueries.preview(collection.id, useDebouncedValue(branding, 300)))
  // The last preview stays until the next one loads, and while incomplete input is refused.
  const [preview, setPreview] = useState(data)
  if (data && data !== preview) setPreview(data)
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        onSave()
      }}
      className="grid grid-cols-1 gap-5 md:grid-cols-[20rem_minmax(0,1fr)]"
    >
      <div className="space-y-4">
        <Field label="Title" hint="Replaces the collection's name" isOptional>
          <Input
            value={branding.title ?? ''}
            placeholder={collection.name}
            maxLength={200}
            onChange={(event) => change({ title: event.target.value })}
          />
        </Field>
        <Field label="Subtitle" isOptional>
          <Input
            value={branding.subtitle ?? ''}
            placeholder={collection.description ?? ''}
            maxLength={500}
            onChange={(event) => change({ subtitle: event.target.value })}
          />
        </Field>
        <BrandingFields branding={branding} refused={preview?.refused} onChange={change}>
          {preview && <Palettes colours={preview.colours} branding={branding} onChange={change} />}
        </BrandingFields>
        {/* Sticky below long fields, but static above a phone's keyboard, where it would cover the field; it extends
            over the dialog's padding. */}
        <div className="sticky [@media(height<22rem)]:static -bottom-5 z-10 -mx-1 bg-overlay px-1 pt-3 pb-5">
          <Button type="submit" variant="primary" isPending={isSaving} className="w-full">
            Save
          </Button>
        </div>
      </div>
      {/* As high as the dialog without its title and tabs, see `Dialog`. */}
      <div className="min-h-96 md:sticky md:top-14 md:h-[calc(min(85dvh,52rem)-9.5rem)]">
        {error && !preview ? (
          <LoadFailure what="the preview" why={failureReason(error)} onRetry={() => void refetch()} />
        ) : (
          <PreviewFrame html={preview?.html ?? ''} />
        )}
      </div>
    </form>
  )
}

/**
 * An inert preview of the public page: no scripts, no requests except for the owner's images, and links that lead
 * nowhere. It takes no focus, since Escape would not leave it; the keys that scroll are passed on.
 */
function PreviewFrame({ html }: { html: string }) {
  const frameRef = useRef<HTMLIFrameElement>(null)
  function scroll(event: KeyboardEvent) {
    const page = frameRef.current?.contentDocument?.scrollingElement
    if (!page) return
    const top = scrollTopByKey(event, page)
    if (top === undefined) return
    event.preventDefault()
    page.scrollTop = top
  }
  return (
    <ScrollArea label="Preview" onKeyDown={scroll} className="size-full rounded-md">
      <iframe
        ref={frameRef}
        title="Preview of the public page"
        tabIndex={-1}
        sandbox="allow-same-origin"
        srcDoc={html}
        className="block size-full rounded-md border border-line bg-surface"
      />
    </ScrollArea>
  )
}
