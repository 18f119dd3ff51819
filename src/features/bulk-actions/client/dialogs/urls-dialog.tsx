import { useState } from 'react'
import { countOf } from '#shared/count.ts'
import { Button } from '#ui/button.tsx'
import { CopyButton } from '#ui/copy-button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { SegmentedControl } from '#ui/segmented-control.tsx'
import { Textarea } from '#ui/textarea.tsx'
import { toast, toastError } from '#ui/toast.ts'
import { type UrlFormat, urlFormats } from '../../url-formats.ts'
import { useBulkPublic } from '../bulk-mutations.ts'
import { useRunId } from '../bulk-progress.ts'
import { BulkDialog, type BulkDialogProps } from './bulk-dialog.tsx'

export function UrlsDialog({ mediaIds, onClose }: BulkDialogProps) {
  const runId = useRunId()
  const publish = useBulkPublic()
  const [format, setFormat] = useState<UrlFormat>('lines')
  if (!publish.data) {
    return (
      <BulkDialog
        title="Create URLs"
        description={`${countOf(mediaIds.length, 'item')} will have a public address: whoever knows it can see the item.`}
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
  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      size="lg"
      title={`${label} ready`}
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <CopyButton
            text={text}
            label="Copy all"
            variant="primary"
            onCopied={() =>
              toast({ title: 'Copied to clipboard', description: `${label} copied successfully.`, tone: 'success' })
            }
            onFailed={() => toastError('Copy failed', 'Could not copy URLs to clipboard.')}
          />
        </>
      }
    >
      <div className="space-y-3">
        <SegmentedControl
          label="Format"
          value={format}
          onValueChange={setFormat}
          segments={Object.entries(urlFormats).map(([value, { label: name }]) => ({
            value: value as UrlFormat,
            label: name,
          }))}
        />
        <Textarea readOnly rows={8} aria-label="Addresses" value={text} className="font-mono text-xs" />
      </div>
    </Dialog>
  )
}
