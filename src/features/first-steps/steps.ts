import type { Preferences } from '#features/auth/contract.ts'

/** What the library contains so far; undefined while it loads. */
type Facts = { hasItems?: boolean; hasCollection?: boolean; hasShared?: boolean }

const stepNames = ['upload', 'collection', 'share'] as const
export type StepName = (typeof stepNames)[number]
type StepState = 'open' | 'done' | 'skipped'
export type Step = { name: StepName; state: StepState }

/** Each step is remembered as "done" or "skipped", so that it does not return when the library is empty again. */
const rememberedAs = {
  upload: 'firstStepUpload',
  collection: 'firstStepCollection',
  share: 'firstStepShare',
} as const satisfies Record<StepName, string>

const doneBy = { upload: 'hasItems', collection: 'hasCollection', share: 'hasShared' } as const satisfies Record<
  StepName,
  keyof Facts
>

/** Whether the user has closed the first steps, or reached their end. */
export const areStepsClosed = ({ firstSteps }: Preferences) => firstSteps === 'closed'
export const closedSteps: Preferences = { firstSteps: 'closed' }

export function stepsOf(preferences: Preferences, facts: Facts): Step[] {
  return stepNames.map((name) => {
    const remembered = preferences[rememberedAs[name]]
    if (remembered === 'done' || remembered === 'skipped') return { name, state: remembered }
    return { name, state: facts[doneBy[name]] ? 'done' : 'open' }
  })
}

/** What to remember of these steps. */
export const preferencesOf = (steps: readonly Step[]): Preferences =>
  Object.fromEntries(
    steps.filter(({ state }) => state !== 'open').map(({ name, state }) => [rememberedAs[name], state]),
  )

/** The steps with those skipped that are open. */
export const skipOpen = (steps: readonly Step[], names: readonly StepName[] = stepNames): Step[] =>
  steps.map((step) => (step.state === 'open' && names.includes(step.name) ? { ...step, state: 'skipped' } : step))

/** After the sample pictures are removed from a library without other items, the first step is open again. */
export const uploadIsOpen: Preferences = { [rememberedAs.upload]: 'open' }
