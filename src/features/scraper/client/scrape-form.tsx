import Globe from 'lucide-react/icons/globe'
import ScanSearch from 'lucide-react/icons/scan-search'
import type { FormEvent } from 'react'
import { Button } from '#ui/button.tsx'
import { Card } from '#ui/card.tsx'
import { Field } from '#ui/forms/field.tsx'
import { Input } from '#ui/forms/input.tsx'
import { HowItWorks } from './how-it-works.tsx'
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
            // No form is sent whose button is off, so that nothing would say what is missing.
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
      <HowItWorks stepsBack={flow.error !== null || state !== 'idle'} />
    </Card>
  )
}
