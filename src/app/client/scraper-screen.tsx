import { AuditsTab } from '#features/audit/client/audits-tab.tsx'
import { PageAudit } from '#features/audit/client/page-audit.tsx'
import { ScraperPage } from '#features/scraper/client/scraper-page.tsx'

/** The scraper, with the audit of the pages that it reads. */
export function ScraperScreen() {
  return <ScraperPage Audits={AuditsTab} PageAudit={PageAudit} />
}
