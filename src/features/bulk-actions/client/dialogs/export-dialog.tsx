import { useState } from 'react'
import { countOf } from '#shared/count.ts'
import { Field } from '#ui/forms/field.tsx'
import { Select } from '#ui/forms/select.tsx'
import type { ExportFormat } from '../../contract.ts'
import { useExport } from '../bulk-mutations.ts'
import { useStopping } from '../use-stopping.ts'
import { BulkDialog, type BulkDialogProps } from './bulk-dialog.tsx'

const formats: { value: ExportFormat; label: string }[] = [
  { value: 'docx', label: 'Word document (.docx)' },
  { value: 'pdf', label: 'PDF' },
  { value: 'csv', label: 'Spreadsheet (.csv)' },
  { value: 'xlsx', label: 'Excel workbook (.xlsx)' },
  { value: 'md', label: 'Markdown (.md)' },
]

export function ExportDialog({ mediaIds, onClose, onDone }: BulkDialogProps) {
  const [format, setFormat] = useState<string>('docx')
  const exportDocument = useExport()
  const stopping = useStopping()

  /** An export changes nothing, so canceling it needs no confirmation and no toast. */
  function stop() {
    stopping.stop()
    onClose()
  }

  function submit() {
    const signal = stopping.begin()
    exportDocument.mutate({ mediaIds: [...mediaIds], format, signal }, { onSuccess: () => onDone([]) })
  }

  return (
    <BulkDialog
      title="Export Document"
      description={`Includes the name, size, dimensions, descriptions, tags and public link of ${countOf(mediaIds.length, 'item')}. Word and PDF also include the images.`}
      submitLabel="Export"
      isPending={exportDocument.isPending}
      onStop={stop}
      onClose={onClose}
      onSubmit={submit}
    >
      <Field label="Format">
        <Select value={format} onValueChange={setFormat} options={formats} />
      </Field>
    </BulkDialog>
  )
}
