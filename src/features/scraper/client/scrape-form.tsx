import Globe from 'lucide-react/icons/globe'
import ScanSearch from 'lucide-react/icons/scan-search'
import type { FormEvent } from 'react'
import { Button } from '#ui/button.tsx'
import { Card } from '#ui/card.tsx'
import { classNames } from '#ui/class-names.ts'
import { Field } from '#ui/forms/field.tsx'
import { Input } from '#ui/forms/input.tsx'
import type { FlowState } from './scrape-flow.ts'
import type { Scraper } from './use-scraper.ts'

export function ScrapeForm({ scraper, state }: { scraper: Scraper; state: FlowState }) {
  const { flow, dispatch, analyze } = scraper
  const isBusy = state === 'analyzing' || state === 'uploading'
  const isBlank = flow.pageUrl.trim() === ''

  function submit(event: FormEvent) {
    event.preventDefault()
    void analyze()
  }

  return (
    <Card>
      <form noValidate onSubmit={submit} className="flex flex-col gap-3 sm:flex-row sm:items-end">
        <Field label="Webpage URL" className="grow">
          <Input
            type="url"
            inputMode="url"
            autoComplete="url"
            spellCheck={false}
            placeholder="https://example.com/gallery"
            leading={<Globe aria-hidden="true" />}
            value={flow.pageUrl}
            disabled={isBusy}
            onChange={(event) => dispatch({ type: 'page-url-typed', text: event.target.value })}
            // A form whose submit button is disabled is not submitted, so the Enter key reports the missing input here.
            onKeyDown={(event) => event.key === 'Enter' && isBlank && void analyze()}
          />
        </Field>
        <Button
          type="submit"
          icon={<ScanSearch aria-hidden="true" />}
          isPending={state === 'analyzing'}
          disabled={isBlank || state === 'uploading'}
        >
          Analyze Page
        </Button>
      </form>
      <p aria-live="polite" className="text-muted text-sm not-empty:pt-3">
        {state === 'analyzing' && 'Analyzing the page…'}
      </p>
      <HowItWorks isCompact={flow.error !== null || state !== 'idle'} />
    </Card>
  )
}

const steps = [
  { title: 'Find images', text: 'Every image on the page, at the largest available size.' },
  { title: 'AI names them', text: 'Captions, headings and file names become short, readable names.' },
  { title: 'Preview and select', text: 'Review the results and choose the ones you want.' },
  { title: 'Upload selected', text: 'Selected images are added to your media library.' },
]

/** `isCompact` makes room for results below; phones hide the steps then. */
function HowItWorks({ isCompact }: { isCompact: boolean }) {
  return (
    <ol
      aria-label="How it works"
      className={classNames(
        'grid gap-x-6 gap-y-4 border-line border-t sm:grid-cols-2 xl:grid-cols-4',
        isCompact ? 'mt-4 pt-4 max-sm:hidden' : 'mt-5 pt-5',
      )}
    >
      {steps.map(({ title, text }, index) => (
        <li key={title} className={classNames('flex gap-3', isCompact && 'items-center')}>
          <span
            aria-hidden="true"
            className="figures grid size-6 shrink-0 place-items-center rounded-full border border-line-strong font-medium text-muted text-xs"
          >
            {index + 1}
          </span>
          <div>
            <p className={isCompact ? 'text-muted text-sm' : 'font-medium'}>{title}</p>
            {!isCompact && <p className="text-pretty text-muted text-sm">{text}</p>}
          </div>
        </li>
      ))}
    </ol>
  )
}
