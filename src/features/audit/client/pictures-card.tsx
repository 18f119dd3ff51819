import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { failureReason } from '#platform/client/call.ts'
import { Card } from '#ui/card.tsx'
import { Chip } from '#ui/chip.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { LoadFailure } from '#ui/load-failure.tsx'
import { Pagination } from '#ui/pagination.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import type { Audit, AuditedPicture } from '../contract.ts'
import { maxChosen } from '../limits.ts'
import { problemNames, problems } from '../problems.ts'
import { PictureRow } from './picture-row.tsx'
import { PictureToolbar } from './picture-toolbar.tsx'
import { auditQueries, type PictureView, picturesPerPage } from './queries.ts'

type PicturesCardProps = { audit: Audit; view: PictureView; onViewChange: (view: PictureView) => void }

/** The pictures, the worst first; those that are chosen stay so on other pages of the list. */
export function PicturesCard({ audit, view, onViewChange }: PicturesCardProps) {
  const { data, error, refetch } = useQuery(auditQueries.pictures(audit.id, view))
  const [chosen, setChosen] = useState<ReadonlyMap<string, AuditedPicture>>(new Map())
  const pictures = data?.pictures ?? []
  const pageCount = Math.ceil((data?.totalCount ?? 0) / picturesPerPage)
  const isEmpty = data?.totalCount === 0

  function choose(list: AuditedPicture[], isChosen: boolean) {
    const next = new Map(chosen)
    for (const picture of list) {
      if (!isChosen) next.delete(picture.key)
      else if (next.size < maxChosen) next.set(picture.key, picture)
    }
    setChosen(next)
  }

  return (
    <Card title="Pictures" description="The worst first. Choose some to measure, import or download them." isFlush>
      <ProblemFilter audit={audit} view={view} onViewChange={onViewChange} />
      {pictures.length > 0 && (
        <PictureToolbar
          audit={audit}
          chosen={[...chosen.values()].map((known) => pictures.find(({ key }) => key === known.key) ?? known)}
          onChooseAll={() => choose(pictures, true)}
          onClear={() => setChosen(new Map())}
        />
      )}
      {error && !data && (
        <div className="p-4">
          <LoadFailure what="pictures" why={failureReason(error)} onRetry={() => void refetch()} />
        </div>
      )}
      {!data && !error && <Skeleton className="m-4 h-40 rounded-md" />}
      {isEmpty && (
        <EmptyState
          drawing="search"
          title={audit.progress.isRunning ? 'No pictures yet' : 'No pictures here'}
          description={audit.progress.isRunning ? 'Pictures appear here as pages are audited.' : undefined}
        />
      )}
      <ul>
        {pictures.map((picture) => (
          <PictureRow
            key={picture.key}
            picture={picture}
            isChosen={chosen.has(picture.key)}
            onToggle={(isChosen) => choose([picture], isChosen)}
          />
        ))}
      </ul>
      {pageCount > 1 && (
        <Pagination
          page={view.page}
          pageCount={pageCount}
          onPageChange={(page) => onViewChange({ ...view, page })}
          label="Pages of pictures"
          className="border-line border-t px-4 py-3"
        />
      )}
    </Card>
  )
}

function ProblemFilter({ audit, view, onViewChange }: PicturesCardProps) {
  const found = problems.filter((problem) => audit.totals.problems[problem] || problem === view.problem)
  if (found.length === 0) return null
  return (
    <fieldset className="flex flex-wrap gap-1.5 px-4 pb-3">
      <legend className="sr-only">Problems</legend>
      {found.map((problem) => {
        const isPressed = view.problem === problem
        return (
          <Chip
            key={problem}
            isPressed={isPressed}
            onPress={() => onViewChange({ ...view, page: 1, problem: isPressed ? undefined : problem })}
          >
            {problemNames[problem]} <span className="figures">{audit.totals.problems[problem] ?? 0}</span>
          </Chip>
        )
      })}
    </fieldset>
  )
}
