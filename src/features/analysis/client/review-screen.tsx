import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Redirect, useLocation, useSearch } from 'wouter'
import { Thumbnail } from '#features/media/client/thumbnail.tsx'
import type { Media } from '#features/media/contract.ts'
import { ApiError, failureReason, messageOf } from '#platform/client/call.ts'
import { countOf } from '#shared/count.ts'
import { relativeDate } from '#shared/dates.ts'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { classNames } from '#ui/class-names.ts'
import { EmptyState } from '#ui/empty-state.tsx'
import { Select } from '#ui/forms/select.tsx'
import { ConfirmDialog } from '#ui/layers/confirm-dialog.tsx'
import { LoadFailure } from '#ui/load-failure.tsx'
import { Pagination } from '#ui/pagination.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import type { AiRun, Proposal } from '../contract.ts'
import { ProposalRow } from './proposal-row.tsx'
import { analysisQueries } from './queries.ts'
import { isUnchanged } from './review-choices.ts'
import { useApplyReview, useDiscardReview, useReviewAsChosen } from './review-mutations.ts'
import { reviewAddress } from './tool-address.ts'

type ReviewScreenProps = { onOpen: (id: number, page: readonly Media[]) => void }

/** Shows the suggestions of a run before they are applied: the run in the URL, or the newest one waiting for review. */
export function ReviewScreen({ onOpen }: ReviewScreenProps) {
  const given = new URLSearchParams(useSearch())
  const [, navigate] = useLocation()
  const { data, error, refetch } = useQuery(analysisQueries.reviews())
  const reviews = data?.reviews ?? []
  const runId = given.get('run')
  const [newest] = reviews
  const page = Math.max(1, Math.trunc(Number(given.get('page'))) || 1)
  // The run is kept in the URL, so that a later run does not replace the one being reviewed.
  if (!runId && newest) return <Redirect to={reviewAddress(newest.runId)} replace />
  return (
    // At least as high as the window, so that the action bar is always at the bottom.
    <div className="-mb-10 flex min-h-[calc(100dvh-4.75rem)] max-w-300 flex-col gap-5">
      <header className="flex flex-wrap items-end justify-between gap-3">
        <div>
          <h1 className="font-semibold text-xl">AI review</h1>
          <p className="text-muted text-sm">Nothing changes until you apply. Your own text is kept.</p>
        </div>
        {reviews.length > 1 && runId && (
          <Select
            label="Review"
            value={runId}
            onValueChange={(chosen) => navigate(reviewAddress(chosen))}
            options={reviews.map(({ runId: value, changes, createdAt }) => ({
              value,
              label: `${countOf(changes, 'item')}, ${relativeDate(createdAt).toLowerCase()}`,
            }))}
          />
        )}
      </header>
      {error && !data && !runId && (
        <LoadFailure what="reviews" why={failureReason(error)} onRetry={() => void refetch()} />
      )}
      {data && !runId && <EmptyReview />}
      {runId && <Review key={runId} runId={runId} page={page} onOpen={onOpen} />}
    </div>
  )
}

function EmptyReview({ reason }: { reason?: string }) {
  const [, navigate] = useLocation()
  return (
    <EmptyState
      drawing="tray"
      title={reason ?? 'Nothing to review'}
      description={
        !reason && 'Suggestions appear here when you use Write Alt Texts, or AI Tag with "Review before applying".'
      }
      action={<Button onClick={() => navigate('/')}>Back to the library</Button>}
    />
  )
}

type ReviewProps = ReviewScreenProps & { runId: string; page: number }

function Review({ runId, page, onOpen }: ReviewProps) {
  const [, navigate] = useLocation()
  const [isDiscarding, setIsDiscarding] = useState(false)
  const { data, error, isPending, isPlaceholderData, refetch } = useQuery(analysisQueries.review(runId, page))
  const review = useReviewAsChosen(runId, data)
  const apply = useApplyReview(runId)
  const discard = useDiscardReview(runId)
  const isBusy = apply.isPending || discard.isPending
  const leave = { onSuccess: () => navigate('/') }

  if (isPending) return <ReviewSkeleton />
  const isOver = error instanceof ApiError && error.status < 500
  if (isOver) return <EmptyReview reason={messageOf(error, 'Review finished')} />
  if (!review) return <LoadFailure what="this review" why={failureReason(error)} onRetry={() => void refetch()} />
  const { run, items, accepted, changes, pagination, errors } = review
  if (page > pagination.totalPages) return <Redirect to={reviewAddress(runId, pagination.totalPages)} replace />
  const media = items.map((item) => item.media)
  const unchanged = items.filter(isUnchanged)
  const hasNoChanges = items.length > 0 && changes === 0
  return (
    <>
      {errors.length > 0 && <ReviewFailures kind={run.kind} errors={errors} />}
      {items.length === 0 && <EmptyReview reason="The items of this review no longer exist" />}
      {hasNoChanges && (
        <EmptyState
          drawing="tray"
          title="No changes suggested"
          description="These items already have the suggested texts."
          action={
            <Button isPending={discard.isPending} onClick={() => discard.mutate({ isSilent: true }, leave)}>
              Close review
            </Button>
          }
        />
      )}
      <ul aria-label="Proposals" className={isPlaceholderData ? 'space-y-3 opacity-60' : 'space-y-3'}>
        {items
          .filter((proposal) => !isUnchanged(proposal))
          .map((proposal) => (
            <ProposalRow
              key={proposal.media.id}
              proposal={proposal}
              runId={runId}
              page={page}
              isDisabled={isBusy}
              onOpen={() => onOpen(proposal.media.id, media)}
            />
          ))}
      </ul>
      {unchanged.length > 0 && <UnchangedItems items={unchanged} onOpen={(id) => onOpen(id, media)} />}
      {pagination.totalPages > 1 && (
        <Pagination
          page={page}
          pageCount={pagination.totalPages}
          onPageChange={(next) => {
            navigate(reviewAddress(runId, next))
            window.scrollTo({ top: 0 })
          }}
        />
      )}
      {!hasNoChanges && (
        <footer
          data-bar-below
          className={classNames(
            '-mx-4 sticky bottom-0 mt-auto flex flex-wrap items-center justify-end gap-2 px-4 py-3 sm:-mx-6 sm:px-6',
            'border-line border-t bg-canvas',
          )}
        >
          <p aria-live="polite" aria-atomic="true" className="figures mr-auto text-muted text-sm max-sm:w-full">
            {`${accepted.toLocaleString('en')} of ${countOf(changes, 'item')} selected`}
          </p>
          <Button disabled={isBusy} onClick={() => setIsDiscarding(true)} className="max-sm:grow">
            Discard
          </Button>
          <Button
            variant="primary"
            disabled={accepted === 0 || discard.isPending}
            isPending={apply.isPending}
            onClick={() => apply.mutate(undefined, leave)}
            className="max-sm:grow"
          >
            {`Apply to ${countOf(accepted, 'item')}`}
          </Button>
        </footer>
      )}
      <ConfirmDialog
        isOpen={isDiscarding}
        onClose={() => setIsDiscarding(false)}
        title="Discard suggestions?"
        description={`These suggestions will be discarded. ${countOf(pagination.totalCount, 'item')} will stay unchanged.`}
        confirmLabel="Discard"
        isPending={discard.isPending}
        onConfirm={() => discard.mutate({ isSilent: false }, leave)}
      />
    </>
  )
}

/** Items that already have what was suggested. They need no decision, so they are folded into one line. */
function UnchangedItems({ items, onOpen }: { items: Proposal[]; onOpen: (id: number) => void }) {
  return (
    <details className="text-sm">
      <summary className="cursor-default rounded-sm text-muted hover:text-ink">
        {countOf(items.length, 'item')} unchanged
      </summary>
      <ul aria-label="Unchanged" className="mt-3 flex flex-wrap gap-2">
        {items.map(({ media }) => (
          <li key={media.id} className="w-20">
            <button
              type="button"
              tabIndex={0}
              aria-label={`Open ${media.filename}`}
              onClick={() => onOpen(media.id)}
              className="block w-full overflow-hidden rounded-sm"
            >
              <Thumbnail media={media} />
            </button>
            <p className="truncate text-muted text-xs">{media.filename}</p>
          </li>
        ))}
      </ul>
    </details>
  )
}

function ReviewSkeleton() {
  return (
    <div role="status" className="space-y-3">
      <span className="sr-only">Loading review</span>
      <Skeleton className="h-36 rounded-md" />
      <Skeleton className="h-36 rounded-md" />
      <Skeleton className="h-36 rounded-md" />
    </div>
  )
}

const maxReasons = 5

type ReviewFailuresProps = { kind: AiRun['kind']; errors: { id: number; message: string }[] }

/** The reasons why items have no suggestions, the most frequent first. */
function ReviewFailures({ kind, errors }: ReviewFailuresProps) {
  const items = countOf(errors.length, 'item')
  const byReason = [...Map.groupBy(errors, ({ message }) => message)].sort(([, a], [, b]) => b.length - a.length)
  return (
    <Alert title={kind === 'alt-text' ? `No alt texts for ${items}` : `${items} could not be analyzed`}>
      <ul>
        {byReason.slice(0, maxReasons).map(([message, ofReason]) => (
          <li key={message}>{byReason.length === 1 ? message : `${message} (${countOf(ofReason.length, 'item')})`}</li>
        ))}
      </ul>
    </Alert>
  )
}
