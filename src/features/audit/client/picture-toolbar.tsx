import { useQuery } from '@tanstack/react-query'
import Download from 'lucide-react/icons/download'
import FileText from 'lucide-react/icons/file-text'
import Gauge from 'lucide-react/icons/gauge'
import Images from 'lucide-react/icons/images'
import MessageSquareText from 'lucide-react/icons/message-square-text'
import { useState } from 'react'
import { websiteQueries } from '#features/websites/client/queries.ts'
import { urlOf } from '#platform/url-of.ts'
import { Button } from '#ui/button.tsx'
import { Select } from '#ui/forms/select.tsx'
import { saveFile } from '#ui/save-file.ts'
import type { Audit, AuditedPicture, auditApi } from '../contract.ts'
import type { NewFormat } from '../limits.ts'
import { useImport, useMeasure, useWriteAltTexts } from './mutations.ts'

type PictureToolbarProps = {
  audit: Audit
  chosen: AuditedPicture[]
  onChooseAll: () => void
  onClear: () => void
}

const formats: { value: NewFormat; label: string }[] = [
  { value: 'webp', label: 'WebP' },
  { value: 'avif', label: 'AVIF' },
]

/** Sticky under the top bar, because the list is long; on a phone it would cover too much of it. */
export function PictureToolbar({ audit, chosen, onChooseAll, onClear }: PictureToolbarProps) {
  const [format, setFormat] = useState<NewFormat>('webp')
  const website = useChosenWebsite(audit)
  const measure = useMeasure(audit)
  const imports = useImport(audit)
  const write = useWriteAltTexts()
  const keys = chosen.map(({ key }) => key)
  const mediaIds = chosen.flatMap(({ mediaId }) => mediaId ?? [])
  const isNone = keys.length === 0
  const websiteId = website.chosen?.id

  function download() {
    const query = { pictures: keys.join(','), format, websiteId }
    saveFile(urlOf<typeof auditApi.files>('/api/audits/:id/files.zip', { id: audit.id }, query))
  }

  return (
    <div className="top-14 z-10 flex flex-col gap-2 border-line border-y bg-surface px-4 py-3 sm:sticky">
      <div className="flex flex-wrap items-center gap-2">
        <Button size="sm" onClick={onChooseAll}>
          Select All
        </Button>
        <Button size="sm" disabled={isNone} onClick={onClear}>
          Clear All
        </Button>
        <span aria-live="polite" aria-atomic="true" className="figures px-1 text-muted text-sm">
          {keys.length} selected
        </span>
        <span className="ml-auto flex flex-wrap items-center gap-2">
          {website.all.length > 0 && (
            <Select
              label="Website for names, languages and logo"
              title="Website for names, languages and logo"
              size="sm"
              options={[
                { value: '', label: 'No website' },
                ...website.all.map(({ id, name }) => ({ value: String(id), label: name })),
              ]}
              value={String(websiteId ?? '')}
              onValueChange={website.choose}
            />
          )}
          <Button
            size="sm"
            icon={<FileText aria-hidden="true" />}
            onClick={() =>
              saveFile(urlOf<typeof auditApi.report>('/api/audits/:id/report.pdf', { id: audit.id }, { websiteId }))
            }
          >
            PDF Report
          </Button>
        </span>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <Button
          size="sm"
          icon={<Gauge aria-hidden="true" />}
          disabled={isNone || audit.measuring?.isRunning}
          isPending={measure.isPending}
          onClick={() => measure.mutate(keys)}
        >
          Measure Savings
        </Button>
        <Button
          size="sm"
          icon={<Images aria-hidden="true" />}
          disabled={isNone}
          isPending={imports.isPending}
          onClick={() => imports.mutate({ pictures: keys, websiteId })}
        >
          Import
        </Button>
        <Button
          size="sm"
          icon={<MessageSquareText aria-hidden="true" />}
          disabled={mediaIds.length === 0}
          title={mediaIds.length === 0 ? 'Import pictures first' : undefined}
          isPending={write.isPending}
          onClick={() => write.mutate({ mediaIds, languages: website.chosen?.languages ?? ['en'], websiteId })}
        >
          Write Alt Texts
        </Button>
        <span className="flex items-center gap-2">
          <Select
            label="Format of the ZIP"
            size="sm"
            options={formats}
            value={format}
            onValueChange={(value) => setFormat(value as NewFormat)}
          />
          <Button size="sm" icon={<Download aria-hidden="true" />} disabled={isNone} onClick={download}>
            Download ZIP
          </Button>
        </span>
      </div>
    </div>
  )
}

/** The website at the audited address, until another is chosen. */
function useChosenWebsite({ website: host }: Audit) {
  const { data: all = [] } = useQuery(websiteQueries.list())
  const [choice, setChoice] = useState<string>()
  const own = all.find(({ url }) => url && URL.parse(url)?.host.replace(/^www\./, '') === host)
  const chosen = choice === undefined ? own : all.find(({ id }) => String(id) === choice)
  return { all, chosen, choose: setChoice }
}
