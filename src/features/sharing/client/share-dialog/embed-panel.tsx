import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { Collection } from '#features/collections/contract.ts'
import { CopyPanel } from '#features/delivery/client/copy-panel.tsx'
import type { SnippetItem } from '#features/delivery/snippets.ts'
import { failureReason } from '#platform/client/call.ts'
import { escapeHtml } from '#shared/escape.ts'
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
import type { SharedImage } from '../../contract.ts'
import { sharingQueries } from '../queries.ts'

const kinds = [
  { value: 'images', label: 'Images' },
  { value: 'frame', label: 'iframe' },
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
  const [kind, setKind] = useState<'images' | 'frame'>('images')
  const [chosen, setChosen] = useState('all')
  const { data, error, refetch } = useQuery(sharingQueries.images(slug))
  const images = data?.images ?? []
  const wanted = chosen === 'all' ? images : images.filter(({ url }) => url === chosen)
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
        <SegmentedControl label="What to embed" value={kind} onValueChange={setKind} segments={kinds} />
        {kind === 'images' && (
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
      {kind === 'frame' && <FrameSnippet url={collection.publicUrl ?? ''} title={collection.name} />}
      {kind === 'images' && !data && error && (
        <LoadFailure what="images" why={failureReason(error)} onRetry={() => void refetch()} />
      )}
      {kind === 'images' && !data && !error && <Spinner label="Loading images" />}
      {kind === 'images' && data && <CopyPanel items={wanted.map((image) => toItem(image, collection.publicUrl))} />}
      <p className="text-muted text-sm">
        Live data: <code>/api/public/collections/{slug}/images</code>, <code>/urls</code> and <code>/data</code>.
        {options?.hasPassword === false && ' Any website can read them.'}
      </p>
    </div>
  )
}

/** The address of the collection's own file, which works as long as the collection is public. */
const toItem = ({ url, ...image }: SharedImage, pageUrl: string | null): SnippetItem => ({
  ...image,
  type: 'image',
  fileUrl: null,
  sharedUrl: url,
  pageUrl,
})

/** The page as a frame, which loads its images itself. */
function FrameSnippet({ url, title }: { url: string; title: string }) {
  const snippet = `<iframe src="${escapeHtml(`${url}?embed=1`)}" title="${escapeHtml(title)}" width="100%" height="600" loading="lazy" style="border:0"></iframe>`
  return (
    <>
      <Field label="Snippet" isLabelHidden>
        <Textarea readOnly value={snippet} rows={4} className="font-mono text-sm" />
      </Field>
      <CopyButton
        text={snippet}
        variant="primary"
        onCopied={() => toastSuccess('Copied to clipboard', 'iframe copied successfully.')}
        onFailed={() => toastError('Copy failed', 'Could not copy the snippet to clipboard.')}
      />
    </>
  )
}
