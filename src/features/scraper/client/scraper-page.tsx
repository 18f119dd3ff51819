import Globe from 'lucide-react/icons/globe'
import Link from 'lucide-react/icons/link'
import { useEffect, useRef, useState } from 'react'
import { Alert } from '#ui/alert.tsx'
import { Tab, TabList, TabPanel, Tabs } from '#ui/tabs.tsx'
import { CompletionCard } from './completion-card.tsx'
import { ProgressCard } from './progress-card.tsx'
import { ResultsCard } from './results-card.tsx'
import { type ScrapeFlow, stateOf } from './scrape-flow.ts'
import { ScrapeForm } from './scrape-form.tsx'
import { UrlsForm } from './urls-form.tsx'
import { useScraper } from './use-scraper.ts'

export function ScraperPage() {
  const scraper = useScraper()
  const [tab, setTab] = useState('scrape')
  const { flow } = scraper
  const state = stateOf(flow)
  const focusOfStep = useFocusOfStep(flow)

  function startOver() {
    scraper.startOver()
    setTab('scrape')
  }

  return (
    <div {...focusOfStep} className="mx-auto flex max-w-300 flex-col gap-5 p-4 sm:p-6">
      <header>
        <h1 className="font-semibold text-xl">Web Image Scraper</h1>
        <p className="text-pretty text-muted text-sm">Bring images from the web into your media library.</p>
      </header>
      <Tabs value={tab} onValueChange={setTab}>
        <TabList label="Import from the web">
          <Tab value="scrape" icon={<Globe aria-hidden="true" />}>
            Scrape Webpage
          </Tab>
          <Tab value="urls" icon={<Link aria-hidden="true" />}>
            Upload from URLs
          </Tab>
        </TabList>
        <TabPanel value="scrape" className="pt-5">
          <ScrapeForm scraper={scraper} state={state} />
        </TabPanel>
        <TabPanel value="urls" className="pt-5">
          <UrlsForm scraper={scraper} state={state} />
        </TabPanel>
      </Tabs>
      {flow.error && <Alert title="Something went wrong">{flow.error}</Alert>}
      {flow.run && state === 'uploading' && <ProgressCard progress={flow.run.progress} />}
      {flow.run && state === 'complete' && <CompletionCard scraper={scraper} run={flow.run} onStartOver={startOver} />}
      {flow.preview && tab === 'scrape' && (
        <ResultsCard scraper={scraper} preview={flow.preview} isBusy={state === 'uploading'} onStartOver={startOver} />
      )}
    </div>
  )
}

/**
 * A step disables or removes the control that started it, so the focus moves to the first `h2` of the new step, or to
 * the input if there is none. Spread the result over the page.
 */
function useFocusOfStep(flow: ScrapeFlow) {
  const ref = useRef<HTMLDivElement>(null)
  const isInUse = useRef(false)
  const state = stateOf(flow)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change is a new step
  useEffect(() => {
    const focused = document.activeElement
    const isLost = focused?.matches('body, main, :disabled')
    if (!isInUse.current || !isLost) return
    const head = ref.current?.querySelector('h2')
    if (head) head.tabIndex = -1
    const next = head ?? ref.current?.querySelector('input')
    next?.focus()
  }, [state, flow.preview])
  return {
    ref,
    onFocus() {
      isInUse.current = true
    },
  }
}
