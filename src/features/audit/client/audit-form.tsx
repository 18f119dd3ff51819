import ScanSearch from 'lucide-react/icons/scan-search'
import { type FormEvent, useState } from 'react'
import { failureReason } from '#platform/client/call.ts'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { Card } from '#ui/card.tsx'
import { Field } from '#ui/forms/field.tsx'
import { Input } from '#ui/forms/input.tsx'
import { SegmentedControl } from '#ui/forms/segmented-control.tsx'
import { Textarea } from '#ui/forms/textarea.tsx'
import { maxPages } from '../limits.ts'
import { useStartAudit } from './mutations.ts'

type Source = 'urls' | 'sitemap'
const sources: { value: Source; label: string }[] = [
  { value: 'urls', label: 'Pages' },
  { value: 'sitemap', label: 'Sitemap' },
]

/** Several pages of one website, by their addresses or by its sitemap. */
export function AuditForm({ onStarted }: { onStarted: (id: number) => void }) {
  const [source, setSource] = useState<Source>('urls')
  const [pages, setPages] = useState('')
  const [sitemapUrl, setSitemapUrl] = useState('')
  const start = useStartAudit()
  const urls = pages.split('\n').filter((line) => line.trim() !== '')
  const isBlank = source === 'urls' ? urls.length === 0 : sitemapUrl.trim() === ''
  const problem = source === 'urls' && urls.length > maxPages ? `An audit can have up to ${maxPages} pages.` : undefined

  function submit(event: FormEvent) {
    event.preventDefault()
    if (isBlank || problem) return
    const body = source === 'urls' ? { urls } : { sitemapUrl: sitemapUrl.trim() }
    start.mutate(body, { onSuccess: ({ id }) => onStarted(id) })
  }

  return (
    <Card
      title="Audit pages of one website"
      description={`Finds pictures without alt texts, too heavy, too large or in old formats, on up to ${maxPages} pages.`}
    >
      <form noValidate onSubmit={submit} className="flex flex-col items-start gap-3">
        <div>
          <SegmentedControl label="Pages from" value={source} onValueChange={setSource} segments={sources} />
        </div>
        {source === 'urls' ? (
          <Field label="Page URLs" hint="One per line" error={problem} className="w-full">
            <Textarea
              rows={4}
              spellCheck={false}
              placeholder={'https://example.com/\nhttps://example.com/about'}
              value={pages}
              onChange={({ target }) => setPages(target.value)}
            />
          </Field>
        ) : (
          <Field label="Sitemap URL" hint={`The first ${maxPages} pages are audited.`} className="w-full">
            <Input
              type="url"
              inputMode="url"
              spellCheck={false}
              placeholder="https://example.com/sitemap.xml"
              value={sitemapUrl}
              onChange={({ target }) => setSitemapUrl(target.value)}
            />
          </Field>
        )}
        {start.error && (
          <Alert title="Couldn't start the audit" className="w-full">
            {failureReason(start.error)}
          </Alert>
        )}
        <Button
          type="submit"
          icon={<ScanSearch aria-hidden="true" />}
          isPending={start.isPending}
          disabled={isBlank || problem !== undefined}
          className="max-sm:w-full"
        >
          Start Audit
        </Button>
      </form>
    </Card>
  )
}
