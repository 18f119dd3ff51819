import Globe from 'lucide-react/icons/globe'
import Link from 'lucide-react/icons/link'
import ScanSearch from 'lucide-react/icons/scan-search'
import { type ComponentType, useEffect, useRef, useState } from 'react'
import { useSearchParams } from 'wouter'
import { Alert } from '#ui/alert.tsx'
import { Tab, TabList, TabPanel, Tabs } from '#ui/tabs.tsx'
import { CompletionCard } from './completion-card.tsx'
import { ProgressCard } from './progress-card.tsx'
import { ResultsCard } from './results-card.tsx'
import { type ScrapeFlow, stateOf } from './scrape-flow.ts'
import { ScrapeForm } from './scrape-form.tsx'
import { UrlsForm } from './urls-form.tsx'
import { useScraper } from './use-scraper.ts'

type ScraperPageProps = {
  /** Audits of several pages. */
  Audits: ComponentType
  /** The audit of the analyzed page. */
  PageAudit: ComponentType<{ pageUrl: string }>
}

export function ScraperPage({ Audits, PageAudit }: ScraperPageProps) {
  const scraper = useScraper()
  const [search] = useSearchParams()
  const [tab, setTab] = useState(search.has('audit') ? 'audit' : 'scrape')
  const [view, setView] = useState('images')
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
          <Tab value="audit" icon={<ScanSearch aria-hidden="true" />}>
            Audit Pages
          </Tab>
        </TabList>
        <TabPanel value="scrape" className="pt-5">
          <ScrapeForm scraper={scraper} state={state} />
        </TabPanel>
        <TabPanel value="urls" className="pt-5">
          <UrlsForm scraper={scraper} state={state} />
        </TabPanel>
        <TabPanel value="audit" className="pt-5">
          <Audits />
        </TabPanel>
      </Tabs>
      {flow.error && tab !== 'audit' && <Alert title="Something went wrong">{flow.error}</Alert>}
      {flow.run && tab !== 'audit' && state === 'uploading' && <ProgressCard progress={flow.run.progress} />}
      {flow.run && tab !== 'audit' && state === 'complete' && (
        <CompletionCard scraper={scraper} run={flow.run} onStartOver={startOver} />
      )}
      {flow.preview && tab === 'scrape' && (
        <Tabs value={view} onValueChange={setView}>
          <TabList label="Results">
            <Tab value="images">Images</Tab>
            <Tab value="audit">Audit</Tab>
          </TabList>
          <TabPanel value="images" className="pt-5">
            <ResultsCard
              scraper={scraper}
              preview={flow.preview}
              isBusy={state === 'uploading'}
              onStartOver={startOver}
            />
          </TabPanel>
          <TabPanel value="audit" className="pt-5">
            <PageAudit key={flow.preview.pageUrl} pageUrl={flow.preview.pageUrl} />
          </TabPanel>
        </Tabs>
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
