import { formatBytes } from '#shared/bytes.ts'
import { Badge } from '#ui/badge.tsx'
import { Card } from '#ui/card.tsx'
import { classNames } from '#ui/class-names.ts'
import type { AuditedPage } from '../contract.ts'

type PageTableProps = {
  pages: AuditedPage[]
  /** The position of the page whose pictures are listed; absent for all. */
  chosen: number | undefined
  onChoose: (position: number | undefined) => void
}

/** The pages with their results; pressing one lists only its pictures. */
export function PageTable({ pages, chosen, onChoose }: PageTableProps) {
  return (
    <Card title="Pages" isFlush>
      <ul className="max-h-96 divide-y divide-line overflow-y-auto border-line border-t">
        {pages.map((page) => (
          <li key={page.position}>
            <button
              type="button"
              tabIndex={0}
              aria-pressed={chosen === page.position}
              onClick={() => onChoose(chosen === page.position ? undefined : page.position)}
              className={classNames(
                'flex min-h-14 w-full flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2 text-left',
                'hover:bg-hover focus-visible:-outline-offset-2 aria-pressed:bg-accent/10',
              )}
            >
              <span className="flex min-w-48 flex-1 flex-col">
                <span className="truncate font-medium">{page.title || pathOf(page.url)}</span>
                <span className="truncate text-muted text-sm">{page.title ? pathOf(page.url) : ''}</span>
                {(page.error ?? page.hint) && (
                  <span className={classNames('text-sm', page.error ? 'text-danger' : 'text-muted')}>
                    {page.error ?? page.hint}
                  </span>
                )}
              </span>
              <PageResult page={page} />
            </button>
          </li>
        ))}
      </ul>
    </Card>
  )
}

function PageResult({ page: { state, pictureCount, problemCount, bytes } }: { page: AuditedPage }) {
  if (state === 'waiting') return <Badge>Waiting</Badge>
  if (state === 'failed') return <Badge tone="danger">Failed</Badge>
  return (
    <span className="figures shrink-0 text-muted text-sm">
      {problemCount} of {pictureCount} with problems · {formatBytes(bytes)}
    </span>
  )
}

function pathOf(address: string) {
  const url = URL.parse(address)
  return url ? url.pathname + url.search : address
}
