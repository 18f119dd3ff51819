import { useState } from 'react'
import { CopyPanel } from '#features/delivery/client/copy-panel.tsx'
import { toSnippetItem } from '#features/delivery/client/snippet-item.ts'
import { useAltLanguage } from '#features/delivery/client/use-alt-language.tsx'
import { useRunId } from '#platform/client/run-id.ts'
import { countOf } from '#shared/count.ts'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { CopyButton } from '#ui/copy-button.tsx'
import { SegmentedControl } from '#ui/forms/segmented-control.tsx'
import { Textarea } from '#ui/forms/textarea.tsx'
import { Dialog } from '#ui/layers/dialog.tsx'
import { toastError, toastSuccess } from '#ui/notices/toast.ts'
import { describeFailures, useBulkPublic } from '../bulk-mutations.ts'
import { BulkDialog, type BulkDialogProps, failedIn } from './bulk-dialog.tsx'
import { type UrlFormat, urlFormats } from './url-formats.ts'

const purposes = [
  { value: 'pages', label: 'Page links' },
  { value: 'files', label: 'For websites' },
] as const

export function UrlsDialog({ mediaIds, onClose, onDone }: BulkDialogProps) {
  const runId = useRunId()
  const publish = useBulkPublic()
  const [purpose, setPurpose] = useState<'pages' | 'files'>('pages')
  const [format, setFormat] = useState<UrlFormat>('lines')
  const language = useAltLanguage(publish.data?.urls ?? [])
  if (!publish.data) {
    return (
      <BulkDialog
        title="Create URLs"
        description={`${mediaIds.length === 1 ? 'The' : 'Each'} item gets a public link; anyone with it can view the item.`}
        submitLabel={`Create ${countOf(mediaIds.length, 'URL')}`}
        isPending={publish.isPending}
        runId={runId}
        onClose={onClose}
        onSubmit={() => publish.mutate({ mediaIds: [...mediaIds], runId })}
      />
    )
  }
  const { urls } = publish.data
  const text = urlFormats[format].format(urls)
  const label = countOf(urls.length, 'URL')
  const finish = () => onDone(failedIn(publish.data))
  return (
    <Dialog
      onClose={finish}
      size="lg"
      title={`${label} ready`}
      footer={
        <>
          <Button onClick={finish}>Close</Button>
          {purpose === 'pages' && (
            <CopyButton
              text={text}
              label="Copy all"
              variant="primary"
              onCopied={() => toastSuccess('Copied to clipboard', `${label} copied successfully.`)}
              onFailed={() => toastError('Copy failed', 'Could not copy URLs to clipboard.')}
            />
          )}
        </>
      }
    >
      <div className="space-y-3">
        {describeFailures(publish.data).map((sentence) => (
          <Alert key={sentence}>{sentence}</Alert>
        ))}
        <SegmentedControl label="What to copy" value={purpose} onValueChange={setPurpose} segments={purposes} />
        {purpose === 'files' && (
          <>
            {language.field}
            <CopyPanel items={urls.map((item) => toSnippetItem(item, language.wanted))} />
          </>
        )}
        {purpose === 'pages' && (
          <>
            <SegmentedControl
              label="Format"
              value={format}
              onValueChange={setFormat}
              segments={Object.entries(urlFormats).map(([value, { label: name }]) => ({
                value: value as UrlFormat,
                label: name,
              }))}
            />
            <Textarea readOnly rows={8} aria-label="URLs" value={text} className="font-mono text-xs" />
          </>
        )}
      </div>
    </Dialog>
  )
}
