import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Branding, Collection } from '#features/collections/contract.ts'
import { failureReason } from '#platform/client/call.ts'
import { Button } from '#ui/button.tsx'
import { Field } from '#ui/forms/field.tsx'
import { Input } from '#ui/forms/input.tsx'
import { Switch } from '#ui/forms/switch.tsx'
import { LoadFailure } from '#ui/load-failure.tsx'
import { useDebouncedValue } from '#ui/use-debounced-value.ts'
import { sharingQueries } from '../queries.ts'
import { ColourFields } from './colour-fields.tsx'
import { CssField } from './css-field.tsx'
import { PictureField } from './picture-field.tsx'
import { PreviewFrame } from './preview-frame.tsx'

type LookPanelProps = {
  collection: Collection
  branding: Branding
  onChange: (part: Branding) => void
  onSave: () => void
  isSaving: boolean
}

/** The fields left, the page itself right, as it would look now. */
export function LookPanel({ collection, branding, onChange: change, onSave, isSaving }: LookPanelProps) {
  const { data, error, refetch } = useQuery(sharingQueries.preview(collection.id, useDebouncedValue(branding, 300)))
  // The last look stays until the next is there, also while something half-typed is refused.
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
        <ColourFields branding={branding} onChange={change} />
        <PictureField label="Logo" value={branding.logoUrl ?? ''} onChange={(logoUrl) => change({ logoUrl })} />
        <PictureField
          label="Header image"
          value={branding.headerImage ?? ''}
          onChange={(headerImage) => change({ headerImage })}
        />
        <Switch
          label="Show owner"
          hint="Show your name on the page"
          checked={branding.showOwnerInfo !== false}
          onCheckedChange={(showOwnerInfo) => change({ showOwnerInfo })}
        />
        <CssField
          value={branding.customCss ?? ''}
          refused={branding.customCss ? (preview?.refused ?? []) : []}
          onChange={(customCss) => change({ customCss })}
        />
        {/* In reach, however long the fields above are, but not over the one that is typed in above a phone's keyboard; down to the edge of the dialog, over its padding. */}
        <div className="sticky [@media(height<22rem)]:static -bottom-5 z-10 -mx-1 bg-overlay px-1 pt-3 pb-5">
          <Button type="submit" variant="primary" isPending={isSaving} className="w-full">
            Save
          </Button>
        </div>
      </div>
      <div className="min-h-96 md:sticky md:top-14 md:h-[32rem]">
        {error && !preview ? (
          <LoadFailure what="the preview" why={failureReason(error)} onRetry={() => void refetch()} />
        ) : (
          <PreviewFrame html={preview?.html ?? ''} />
        )}
      </div>
    </form>
  )
}
