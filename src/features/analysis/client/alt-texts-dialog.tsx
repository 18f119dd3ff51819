import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { useUser } from '#features/auth/client/queries.ts'
import { useServices } from '#features/media/client/use-services.ts'
import { LanguagesField } from '#features/websites/client/languages-field.tsx'
import { websiteQueries } from '#features/websites/client/queries.ts'
import { messageOf } from '#platform/client/call.ts'
import { useRunId } from '#platform/client/run-id.ts'
import { useRunProgress } from '#platform/client/run-progress.ts'
import { countOf } from '#shared/count.ts'
import { findLanguage } from '#shared/languages.ts'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { Checkbox } from '#ui/forms/checkbox.tsx'
import { Field } from '#ui/forms/field.tsx'
import { Select } from '#ui/forms/select.tsx'
import { Dialog } from '#ui/layers/dialog.tsx'
import { RunProgress } from '#ui/run-progress.tsx'
import { Spinner } from '#ui/spinner.tsx'
import { StopButton } from '#ui/stop-button.tsx'
import { maxWrittenLanguages } from '../limits.ts'
import { altTextEstimateWords } from './estimate-words.ts'
import { useCancelRun, useWriteAltTexts } from './mutations.ts'
import { analysisQueries, askForProgress } from './queries.ts'
import { reviewAddress } from './tool-address.ts'

type AltTextsDialogProps = {
  mediaIds: readonly number[]
  /** Chosen at first; the user may choose another. */
  websiteId?: number
  onClose: () => void
  /** Called with the ids of the failed items. */
  onDone: (failedIds: number[]) => void
}

/** Chooses website and languages, then starts a run whose texts wait for a review. */
export function AltTextsDialog({ mediaIds, onClose, onDone, ...given }: AltTextsDialogProps) {
  const runId = useRunId()
  const { aiLanguage, writtenLanguages } = useServices()
  const own = useUser()?.preferences.aiLanguage || aiLanguage
  const { data: websites } = useQuery(websiteQueries.list())
  const [websiteId, setWebsiteId] = useState(given.websiteId)
  const [chosen, setChosen] = useState<string[]>()
  const [overwrite, setOverwrite] = useState(false)
  const write = useWriteAltTexts()
  const cancel = useCancelRun()
  const progress = useRunProgress(runId, write.isPending ? (signal) => askForProgress(runId, signal) : undefined)

  const isWritten = (language: string) => !writtenLanguages || findLanguage([language], writtenLanguages) !== undefined
  const ofWebsite = websites?.find(({ id }) => id === websiteId)?.languages.filter(isWritten)
  const first = ofWebsite?.length ? ofWebsite : isWritten(String(own)) ? [String(own)] : ['en']
  const languages = chosen ?? first.slice(0, maxWrittenLanguages)
  const request = { mediaIds: [...mediaIds], languages, websiteId, overwrite }
  const estimate = useQuery({ ...analysisQueries.altTextEstimate(request), enabled: websites && languages.length > 0 })
  const images = estimate.data?.images ?? 0
  const hasNothing = languages.length === 0 || estimate.isError || images === 0

  function submit(event: FormEvent) {
    event.preventDefault()
    write.mutate(
      { ...request, runId },
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
      title="Write Alt Texts"
      description="You review them before anything changes."
      onSubmit={submit}
      footer={
        write.isPending ? (
          <>
            <StopButton isStopping={cancel.isPending || cancel.isSuccess} onStop={() => cancel.mutate(runId)} />
            <Button variant="primary" onClick={onClose}>
              Continue in background
            </Button>
          </>
        ) : (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" variant="primary" disabled={hasNothing || !estimate.data}>
              {images > 0 ? `Write for ${countOf(images, 'item')}` : 'Write'}
            </Button>
          </>
        )
      }
    >
      {write.isPending ? (
        <RunProgress label="Writing" progress={progress} total={mediaIds.length} />
      ) : (
        <div className="space-y-4">
          {websites && websites.length > 0 && (
            <Field label="For website">
              <Select
                value={websiteId ?? ''}
                onValueChange={(value) => {
                  setWebsiteId(value ? Number(value) : undefined)
                  setChosen(undefined)
                }}
                options={[
                  { value: '', label: 'No website' },
                  ...websites.map(({ id, name }) => ({ value: String(id), label: name })),
                ]}
              />
            </Field>
          )}
          <LanguagesField
            languages={languages}
            onChange={setChosen}
            suggested={writtenLanguages ?? undefined}
            most={maxWrittenLanguages}
            hasMain={false}
          />
          <Checkbox
            label="Replace existing alt texts"
            hint="When off, only missing ones are written."
            checked={overwrite}
            onCheckedChange={setOverwrite}
          />
          {languages.length > 0 && estimate.isPending && <Spinner label="Estimating…" />}
          {estimate.isError && (
            <Alert title="Can't write alt texts">{messageOf(estimate.error, 'The server did not respond.')}</Alert>
          )}
          {estimate.data && !estimate.isError && (
            <ul className="space-y-1 text-muted text-sm">
              {altTextEstimateWords(estimate.data).map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
          )}
        </div>
      )}
    </Dialog>
  )
}
