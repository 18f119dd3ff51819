import { Thumbnail } from '#features/media/client/thumbnail.tsx'
import { languageName } from '#shared/languages.ts'
import { Chip } from '#ui/chip.tsx'
import { classNames } from '#ui/class-names.ts'
import { Checkbox } from '#ui/forms/checkbox.tsx'
import { aiName } from '../ai-name.ts'
import type { Proposal, ProposalChoice } from '../contract.ts'
import { toggleLanguage, toggleTag } from './review-choices.ts'
import { useChooseProposal } from './review-mutations.ts'

type ProposalRowProps = {
  proposal: Proposal
  runId: string
  page: number
  isDisabled: boolean
  onOpen: () => void
}

/** One item with its suggestions. Each suggestion can be rejected, or all of them. */
export function ProposalRow({ proposal, runId, page, isDisabled, onOpen }: ProposalRowProps) {
  const { media, isAccepted, provider, model, note, altTexts } = proposal
  const choose = useChooseProposal(runId, page)
  const set = (choice: ProposalChoice) => choose.mutateAsync({ mediaId: media.id, choice })
  return (
    <li
      className={classNames(
        'flex gap-4 rounded-md border border-line bg-surface p-3 transition-opacity max-sm:gap-3',
        !isAccepted && 'opacity-70',
      )}
    >
      <button
        type="button"
        tabIndex={0}
        aria-label={`Open ${media.filename}`}
        onClick={onOpen}
        className="block w-32 shrink-0 self-start overflow-hidden rounded-sm max-sm:w-20"
      >
        <Thumbnail media={media} />
      </button>
      <div className="min-w-0 grow space-y-3">
        <Checkbox
          label={<span className="wrap-anywhere font-medium">{media.filename}</span>}
          hint={note && `By ${aiName(provider, model)}. ${note}`}
          checked={isAccepted}
          disabled={isDisabled}
          onCheckedChange={(isWanted) => set({ isAccepted: isWanted })}
        />
        {altTexts.length > 0 ? (
          <AltTextChanges proposal={proposal} isDisabled={isDisabled || !isAccepted} onChoose={set} />
        ) : (
          <>
            <DescriptionChange proposal={proposal} isDisabled={isDisabled || !isAccepted} onChoose={set} />
            <TagChanges
              proposal={proposal}
              isDisabled={isDisabled || !isAccepted}
              onChoose={(choice) => choose.mutate({ mediaId: media.id, choice })}
            />
          </>
        )}
      </div>
    </li>
  )
}

type PartProps = { proposal: Proposal; isDisabled: boolean; onChoose: (choice: ProposalChoice) => unknown }

function DescriptionChange({ proposal: { description, media }, isDisabled, onChoose }: PartProps) {
  if (!description) return media.aiDescription && <p className="text-muted text-sm">{media.aiDescription}</p>
  const { before, after, isAccepted } = description
  return (
    <Checkbox
      label={
        <span className="text-sm">
          {before && (
            <del className="block text-muted">
              <span className="sr-only">Old description: </span>
              {before}
            </del>
          )}
          <span className="sr-only">{before ? 'New description: ' : 'Description: '}</span>
          {after}
        </span>
      }
      checked={isAccepted}
      disabled={isDisabled}
      onCheckedChange={(isWanted) => onChoose({ isDescriptionAccepted: isWanted })}
    />
  )
}

function AltTextChanges({ proposal, isDisabled, onChoose }: PartProps) {
  return (
    <ul aria-label={`Alt texts of ${proposal.media.filename}`} className="space-y-2">
      {proposal.altTexts.map(({ language, before, after, isAccepted }) => (
        <li key={language}>
          <Checkbox
            label={
              <span className="text-sm">
                <span className="mr-2 text-muted">{languageName(language)}</span>
                {before && (
                  <del className="block text-muted" lang={language}>
                    <span className="sr-only">Old alt text: </span>
                    {before}
                  </del>
                )}
                <span lang={language}>{after}</span>
              </span>
            }
            checked={isAccepted}
            disabled={isDisabled}
            onCheckedChange={() => onChoose({ refusedLanguages: toggleLanguage(proposal, language) })}
          />
        </li>
      ))}
    </ul>
  )
}

const signs = { added: '+', dropped: '−', kept: '' }

function TagChanges({ proposal, isDisabled, onChoose }: PartProps) {
  if (proposal.tags.length === 0) return <p className="text-muted text-sm">No tags.</p>
  return (
    <ul aria-label={`Tags of ${proposal.media.filename}`} className="flex flex-wrap gap-1.5">
      {proposal.tags.map(({ tag, change, isAccepted }) => (
        <li key={tag} className="max-w-full">
          {change === 'kept' ? (
            <Chip>{tag}</Chip>
          ) : (
            <Chip
              isPressed={isAccepted}
              disabled={isDisabled}
              onPress={() => onChoose({ refusedTags: toggleTag(proposal, tag) })}
              icon={<span aria-hidden="true">{signs[change]}</span>}
              className={change === 'dropped' && isAccepted ? 'line-through' : undefined}
            >
              <span className="sr-only">{change === 'added' ? 'Add ' : 'Remove '}</span>
              {tag}
            </Chip>
          )}
        </li>
      ))}
    </ul>
  )
}
