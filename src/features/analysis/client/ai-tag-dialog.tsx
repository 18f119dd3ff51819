import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { websiteQueries } from '#features/websites/client/queries.ts'
import type { Website } from '#features/websites/contract.ts'
import { messageOf } from '#platform/client/call.ts'
import { useRunId } from '#platform/client/run-id.ts'
import { useRunProgress } from '#platform/client/run-progress.ts'
import { countOf } from '#shared/count.ts'
import { languageName } from '#shared/languages.ts'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { Checkbox } from '#ui/forms/checkbox.tsx'
import { Field } from '#ui/forms/field.tsx'
import { Select } from '#ui/forms/select.tsx'
import { Dialog } from '#ui/layers/dialog.tsx'
import { RunProgress } from '#ui/run-progress.tsx'
import { Spinner } from '#ui/spinner.tsx'
import { StopButton } from '#ui/stop-button.tsx'
import type { AiEstimate } from '../contract.ts'
import { estimateWords } from './estimate-words.ts'
import { useBulkAiTag, useCancelRun } from './mutations.ts'
import { analysisQueries, askForProgress } from './queries.ts'
import { reviewAddress } from './tool-address.ts'

type AiTagDialogProps = {
  mediaIds: readonly number[]
  /** Chosen at first; the user may choose another. */
  websiteId?: number
  isReviewed?: boolean
  onClose: () => void
  /** Called with the ids of the failed items. */
  onDone: (failedIds: number[]) => void
}

/** Shows an estimate, then starts the run, which can be stopped, continued in the background, and undone afterwards. */
export function AiTagDialog({ mediaIds, isReviewed = false, onClose, onDone, ...given }: AiTagDialogProps) {
  const runId = useRunId()
  const [review, setReview] = useState(isReviewed)
  const [websiteId, setWebsiteId] = useState(given.websiteId)
  const { data: websites = [] } = useQuery(websiteQueries.list())
  const tag = useBulkAiTag()
  const cancel = useCancelRun()
  const isStopping = cancel.isPending || cancel.isSuccess
  const estimate = useQuery(analysisQueries.estimate(mediaIds, websiteId))
  const progress = useRunProgress(runId, tag.isPending ? (signal) => askForProgress(runId, signal) : undefined)

  function submit(event: FormEvent) {
    event.preventDefault()
    tag.mutate(
      { mediaIds: [...mediaIds], runId, review, websiteId },
      {
        onSuccess: ({ errors, run: { runId: id, status } }) => {
          if (status === 'review') navigate(reviewAddress(id))
          onDone(errors.map((error) => error.id))
        },
        onError: onClose,
      },
    )
  }

  return (
    <Dialog
      onClose={onClose}
      title="AI Tag"
      description={`${countOf(mediaIds.length, 'item')} will be described and tagged. Your own text is kept.`}
      onSubmit={submit}
      footer={
        <>
          {tag.isPending ? (
            <>
              <StopButton isStopping={isStopping} onStop={() => cancel.mutate(runId)} />
              <Button variant="primary" onClick={onClose}>
                Continue in background
              </Button>
            </>
          ) : (
            <Button onClick={onClose}>Cancel</Button>
          )}
          {!tag.isPending && (
            <Button type="submit" variant="primary" disabled={!estimate.data}>
              {`Tag ${countOf(mediaIds.length, 'item')}`}
            </Button>
          )}
        </>
      }
    >
      {estimate.isPending && <Spinner label="Estimating…" />}
      {estimate.isError && !estimate.data && (
        <Alert title="Can't start the analysis">{messageOf(estimate.error, 'The server did not respond.')}</Alert>
      )}
      {estimate.data && !tag.isPending && (
        <>
          <ul className="space-y-1 text-muted text-sm">
            {estimateWords(estimate.data).map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
          {websites.length > 0 && (
            <Field
              label="For website"
              hint={hintFor(
                estimate.data,
                websites.find(({ id }) => id === websiteId),
              )}
              className="mt-4"
            >
              <Select
                value={websiteId ?? ''}
                onValueChange={(value) => setWebsiteId(value ? Number(value) : undefined)}
                options={[
                  { value: '', label: 'No website' },
                  ...websites.map(({ id, name }) => ({ value: String(id), label: name })),
                ]}
              />
            </Field>
          )}
          <Checkbox
            label="Review before applying"
            hint="Nothing changes until you apply the suggestions."
            checked={review}
            onCheckedChange={setReview}
            className="mt-4"
          />
        </>
      )}
      {tag.isPending && <RunProgress label="Analyzing" progress={progress} total={mediaIds.length} />}
    </Dialog>
  )
}

function hintFor({ provider }: AiEstimate, website?: Website) {
  if (!website) return undefined
  const language = languageName(website.languages[0]!)
  return provider === 'openai'
    ? `In ${language}, with its tone and keywords`
    : `Description in ${language}, if the built-in AI writes it`
}
