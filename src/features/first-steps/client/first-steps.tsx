import { useQuery } from '@tanstack/react-query'
import Check from 'lucide-react/icons/check'
import X from 'lucide-react/icons/x'
import { type ReactNode, useEffect, useState } from 'react'
import { Link } from 'wouter'
import { savePreferences } from '#features/auth/client/preferences.ts'
import { useUser } from '#features/auth/client/queries.ts'
import { collectionQueries } from '#features/collections/client/queries.ts'
import { useLibraryView } from '#features/media/client/use-library-view.ts'
import { openUnfiltered } from '#features/media/library-view.ts'
import { countOf } from '#shared/count.ts'
import { Button } from '#ui/button.tsx'
import { classNames } from '#ui/class-names.ts'
import { recoverLostFocus } from '#ui/focus/lost-focus.ts'
import { IconButton } from '#ui/icon-button.tsx'
import { LazyBoundary } from '#ui/lazy-boundary.tsx'
import { lazyComponent } from '#ui/lazy-component.tsx'
import {
  areStepsClosed,
  closedSteps,
  preferencesOf,
  type Step,
  type StepName,
  skipOpen,
  stepsOf,
  uploadIsOpen,
} from '../steps.ts'
import { FirstStepsSpace, useCardHeight, useHasSetupList } from './first-steps-space.tsx'
import { useAddSamples, useRemoveSamples } from './mutations.ts'
import { sampleCountQuery } from './queries.ts'

const CreateDialog = lazyComponent(
  () => import('#features/collections/client/dialogs/create-dialog.tsx'),
  ({ CreateDialog }) => CreateDialog,
)

/** Leads a new user through upload, collection and sharing. `hasItems` is undefined while the library loads. */
export function FirstSteps({ hasItems }: { hasItems?: boolean }) {
  const preferences = useUser()?.preferences ?? {}
  // Fetched without data means failed, also while the request is repeated.
  const { data: collections, isFetched: hasTriedCollections } = useQuery(collectionQueries.summaries())
  const { data: sampleCount, isFetched: hasTriedCount } = useQuery(sampleCountQuery())
  const isKnown = hasItems !== undefined && collections !== undefined && sampleCount !== undefined
  const steps = stepsOf(preferences, {
    hasItems,
    hasCollection: collections && collections.length > 0,
    hasShared: collections?.some(({ isPublic }) => isPublic),
  })
  const isOver = steps.every(({ state }) => state !== 'open')
  const remembered = JSON.stringify({
    ...preferencesOf(steps),
    // For the height of the card before the count has loaded.
    hasSamples: sampleCount !== undefined && sampleCount > 0,
    ...(isOver && sampleCount === 0 && closedSteps),
  })
  useEffect(() => {
    if (isKnown) savePreferences(JSON.parse(remembered))
  }, [isKnown, remembered])

  const hasNoCollections = hasTriedCollections && collections === undefined
  if (areStepsClosed(preferences) || hasNoCollections) return null
  if (hasItems === undefined || collections === undefined || !hasTriedCount) return <FirstStepsSpace />
  // If counting failed, the steps are shown as if there were no sample pictures.
  if (isOver && !sampleCount) return null
  return <FirstStepsCard steps={steps} sampleCount={sampleCount ?? 0} collectionId={collections[0]?.id} />
}

type FirstStepsCardProps = { steps: Step[]; sampleCount: number; collectionId?: number }

function FirstStepsCard({ steps, sampleCount, collectionId }: FirstStepsCardProps) {
  const [, setView] = useLibraryView()
  const hasSetupList = useHasSetupList()
  const height = useCardHeight()
  const [isCreating, setIsCreating] = useState(false)
  const add = useAddSamples()
  const remove = useRemoveSamples()
  // The card usually disappears with its focused button.
  useEffect(() => recoverLostFocus, [])
  // The items arrive one by one; the step stays until all are there.
  const current = add.isPending ? 'upload' : steps.find(({ state }) => state === 'open')?.name
  const stopCreating = () => setIsCreating(false)
  const skip = (names?: StepName[]) => savePreferences(preferencesOf(skipOpen(steps, names)))
  const close = () => savePreferences(closedSteps)

  const removeSamples = () => remove.mutate(undefined, { onSuccess: () => current && savePreferences(uploadIsOpen) })

  const contents: Record<StepName, { title: string; text: string; action?: ReactNode }> = {
    upload: {
      title: 'Upload images and videos',
      text: 'Or look around with ten sample pictures. You can remove them with one click.',
      action: (
        <Button isPending={add.isPending} onClick={() => add.mutate()}>
          Try sample pictures
        </Button>
      ),
    },
    collection: {
      title: 'Create a collection',
      text: 'A collection groups items in your order. You can share it as a page.',
      action: <Button onClick={() => setIsCreating(true)}>Create collection</Button>,
    },
    share: {
      title: 'Share it',
      text: 'Add items to the collection, open it, and select Share to get a public link.',
      action: collectionId !== undefined && (
        <Button onClick={() => setView(openUnfiltered(collectionId))}>Open collection</Button>
      ),
    },
  }
  const end = { title: 'Keep the sample pictures?', text: `${countOf(sampleCount, 'item')} in your library.` }
  const { title, text, action }: (typeof contents)[StepName] = current ? contents[current] : { ...end }

  return (
    <section
      aria-label="First steps"
      className={classNames('rounded-md border border-line bg-surface py-3 pr-2 pl-4', height)}
    >
      <div className="flex items-center justify-between gap-4">
        <div className="flex flex-wrap items-center gap-x-6 gap-y-1 text-xs">
          <StepList steps={steps} current={current} />
          {hasSetupList && (
            <Link href="/admin?tab=system" className="rounded-sm py-1 text-muted underline hover:text-ink">
              Check the server setup
            </Link>
          )}
        </div>
        <IconButton
          label="Hide first steps"
          icon={<X />}
          size="sm"
          onClick={() => (current ? skip() : close())}
          className="text-faint"
        />
      </div>
      <div className="flex flex-wrap items-center gap-x-6 gap-y-3 pt-1 pr-2 pb-1">
        <div className="min-w-0 flex-1 basis-60">
          <h2 className="font-medium">{title}</h2>
          <p className="text-pretty text-muted text-sm">{text}</p>
        </div>
        <div className="flex flex-wrap items-center gap-2">
          {sampleCount > 0 && !add.isPending && (
            // Never where a button was that the user may press twice.
            <Button
              variant={current ? 'quiet' : 'secondary'}
              isPending={remove.isPending}
              onClick={removeSamples}
              className="max-sm:order-last"
            >
              Remove sample pictures
            </Button>
          )}
          {action}
          {current ? (
            <Button variant="quiet" disabled={add.isPending} onClick={() => skip([current])}>
              Skip
            </Button>
          ) : (
            <Button onClick={close}>Keep</Button>
          )}
        </div>
      </div>
      {isCreating && (
        <LazyBoundary onFailed={stopCreating}>
          <CreateDialog onClose={stopCreating} />
        </LazyBoundary>
      )}
    </section>
  )
}

const labels: Record<StepName, string> = { upload: 'Upload', collection: 'Collection', share: 'Share' }
const stateLabels = { open: undefined, done: ' (done)', skipped: ' (skipped)' }

function StepList({ steps, current }: { steps: readonly Step[]; current?: StepName }) {
  return (
    <ol className="flex flex-wrap gap-x-4 text-muted text-xs">
      {steps.map(({ name, state }, index) => (
        <li
          key={name}
          aria-current={name === current ? 'step' : undefined}
          className={classNames('flex items-center gap-1.5', name === current && 'font-medium text-ink')}
        >
          <span className="figures grid size-4 place-items-center rounded-full border border-line-strong text-[0.625rem] [&_.lucide]:size-2.5">
            {state === 'done' ? <Check aria-hidden="true" /> : index + 1}
          </span>
          <span className={classNames(state === 'skipped' && 'line-through')}>{labels[name]}</span>
          {stateLabels[state] && <span className="sr-only">{stateLabels[state]}</span>}
        </li>
      ))}
    </ol>
  )
}
