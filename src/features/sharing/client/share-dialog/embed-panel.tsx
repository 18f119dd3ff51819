import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { Collection } from '#features/collections/contract.ts'
import { failureReason } from '#platform/client/call.ts'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { CopyButton } from '#ui/copy-button.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { Field } from '#ui/forms/field.tsx'
import { SegmentedControl } from '#ui/forms/segmented-control.tsx'
import { Select } from '#ui/forms/select.tsx'
import { Textarea } from '#ui/forms/textarea.tsx'
import { LoadFailure } from '#ui/load-failure.tsx'
import { toastError, toastSuccess } from '#ui/notices/toast.ts'
import { Spinner } from '#ui/spinner.tsx'
import { sharingQueries } from '../queries.ts'
import { makeSnippet, type SnippetFormat } from './snippets.ts'

const formats = [
  { value: 'html', label: 'HTML' },
  { value: 'markdown', label: 'Markdown' },
  { value: 'json', label: 'JSON' },
  { value: 'iframe', label: 'iframe' },
] as const

/** Code to paste into a website, for one image or all of them. */
export function EmbedPanel({ collection, onLink }: { collection: Collection; onLink: () => void }) {
  const toLink = <Button onClick={onLink}>Open Link tab</Button>
  if (!collection.isPublic || !collection.publicSlug) {
    return (
      <EmptyState
        drawing="folder"
        title="Make the collection public first. Only public collections can be embedded."
        action={toLink}
      />
    )
  }
  return <Snippets collection={collection} slug={collection.publicSlug} toLink={toLink} />
}

type SnippetsProps = { collection: Collection; slug: string; toLink: ReactNode }

function Snippets({ collection, slug, toLink }: SnippetsProps) {
  const { data: options } = useQuery(sharingQueries.options(collection.id))
  const [format, setFormat] = useState<SnippetFormat>('html')
  const [chosen, setChosen] = useState('all')
  const { data, error, refetch } = useQuery(sharingQueries.images(slug))
  const images = data?.images ?? []
  const wanted = chosen === 'all' ? images : images.filter(({ url }) => url === chosen)
  /** A frame loads its images itself. */
  const isReady = data !== undefined || format === 'iframe'
  const snippet = makeSnippet(format, wanted, { url: collection.publicUrl ?? '', title: collection.name })
  if (options?.isExpired) {
    return (
      <EmptyState
        drawing="folder"
        title="The link has expired. To embed the collection again, change the expiry under Link."
        action={toLink}
      />
    )
  }
  return (
    <div className="space-y-4 pb-5">
      {options?.hasPassword && (
        <Alert tone="info">
          This collection has a link password. To show its images on other websites, remove the password under Link.
        </Alert>
      )}
      <div className="flex flex-wrap items-end gap-3">
        <SegmentedControl label="Format" value={format} onValueChange={setFormat} segments={formats} />
        {format !== 'iframe' && (
          <Select
            label="Items"
            value={chosen}
            onValueChange={setChosen}
            options={[
              { value: 'all', label: 'Entire collection' },
              ...images.map(({ url, name }) => ({ value: url, label: name })),
            ]}
            className="w-60 max-w-full"
          />
        )}
      </div>
      {!isReady && error && <LoadFailure what="images" why={failureReason(error)} onRetry={() => void refetch()} />}
      {!isReady && !error && <Spinner label="Loading images" />}
      {isReady && (
        <>
          <Field label="Snippet" isLabelHidden>
            <Textarea readOnly value={snippet} rows={10} className="font-mono text-sm" />
          </Field>
          <CopyButton
            text={snippet}
            variant="primary"
            onCopied={() => {
              const label = formats.find(({ value }) => value === format)?.label
              toastSuccess('Copied to clipboard', `${label} copied successfully.`)
            }}
            onFailed={() => toastError('Copy failed', 'Could not copy the snippet to clipboard.')}
          />
        </>
      )}
      <p className="text-muted text-sm">
        Live data: <code>/api/public/collections/{slug}/images</code>, <code>/urls</code> and <code>/data</code>.
        {options?.hasPassword === false && ' Any website can read them.'}
      </p>
    </div>
  )
}
