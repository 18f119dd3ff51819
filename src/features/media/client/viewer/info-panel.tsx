import Code from 'lucide-react/icons/code'
import Pencil from 'lucide-react/icons/pencil'
import Sparkles from 'lucide-react/icons/sparkles'
import { type ReactNode, useState } from 'react'
import { formatBytes } from '#shared/bytes.ts'
import { countOf } from '#shared/count.ts'
import { relativeDate } from '#shared/dates.ts'
import { Button } from '#ui/button.tsx'
import { focusIfLost } from '#ui/focus/lost-focus.ts'
import { IconButton } from '#ui/icon-button.tsx'
import { keysOf } from '#ui/keys/key-names.ts'
import type { ViewedMedia } from '../../contract.ts'
import { useServices } from '../use-services.ts'
import { AltTexts } from './alt-texts.tsx'
import { ChangeActions, RemoveActions } from './media-actions.tsx'
import { MediaFacts } from './media-facts.tsx'
import { PanelSection } from './panel-section.tsx'
import { PublicLink } from './public-link.tsx'
import { StatusNotices } from './status-notices.tsx'
import { nothingSuggested, SuggestedTags } from './suggested-tags.tsx'
import { TagList } from './tag-list.tsx'
import { viewerCommands } from './viewer-commands.ts'
import { useSuggestTags } from './viewer-mutations.ts'

type InfoPanelProps = {
  media: ViewedMedia
  /** True if the panel has just replaced the edit form. */
  isAfterEditing: boolean
  onEdit: () => void
  onConvert: () => void
  onCopyForWebsite: () => void
  onRemoveBackground: () => void
  onDelete: () => void
  /** Content of other features about the item. */
  children?: ReactNode
}

/** Shows an item's details and actions. Use the item's id as key. */
export function InfoPanel(props: InfoPanelProps) {
  const { media, isAfterEditing, onEdit, onConvert, onCopyForWebsite, onRemoveBackground, onDelete, children } = props
  return (
    // Padding at the end, so that the last actions can be scrolled above a toast.
    <div className="min-h-0 grow overflow-y-auto overscroll-contain pb-24">
      <header className="flex items-start gap-2 p-5 pb-4">
        <div className="min-w-0 grow">
          <h2 dir="auto" className="wrap-anywhere font-semibold text-lg leading-snug">
            {media.filename}
          </h2>
          <p className="figures mt-0.5 text-muted text-sm">
            {formatBytes(media.size)} · {relativeDate(media.createdAt)}
          </p>
        </div>
        <IconButton
          ref={isAfterEditing ? focusIfLost : undefined}
          label="Edit"
          shortcut={keysOf(viewerCommands.edit.hotkey)}
          icon={<Pencil />}
          onClick={onEdit}
          className="-mt-1.5 -mr-2"
        />
      </header>
      <StatusNotices media={media} />
      <Descriptions media={media} />
      <AltTexts media={media} />
      <Tags media={media} />
      {!media.trashedAt && (
        <PanelSection title="Share">
          <PublicLink media={media} />
          <Button size="sm" variant="quiet" icon={<Code />} onClick={onCopyForWebsite} className="-ml-2.5 mt-2">
            Copy for website…
          </Button>
        </PanelSection>
      )}
      <PanelSection title="Details">
        <MediaFacts media={media} />
      </PanelSection>
      {children}
      {!media.trashedAt && (
        <ChangeActions media={media} onConvert={onConvert} onRemoveBackground={onRemoveBackground} />
      )}
      <RemoveActions media={media} onDelete={onDelete} />
    </div>
  )
}

function Descriptions({ media: { userDescription, aiDescription } }: { media: ViewedMedia }) {
  if (!userDescription && !aiDescription) return null
  return (
    <div className="flex flex-col gap-2.5 px-5 pb-4">
      {userDescription && (
        <p dir="auto" className="wrap-anywhere whitespace-pre-line text-pretty">
          {userDescription}
        </p>
      )}
      {aiDescription && (
        <p dir="auto" className="wrap-anywhere whitespace-pre-line text-pretty text-muted text-sm">
          <Sparkles role="img" aria-label="AI description" className="mr-1.5 mb-0.5 inline text-faint" />
          {aiDescription}
        </p>
      )}
    </div>
  )
}

function Tags({ media }: { media: ViewedMedia }) {
  const suggest = useSuggestTags()
  const { hasAi } = useServices()
  /** Announced to screen readers, as the suggestions appear far below the focused button. */
  const [answer, setAnswer] = useState('')
  const ask = () => {
    setAnswer('')
    suggest.mutate(media.id, {
      onSuccess({ suggestedTags }) {
        const newCount = suggestedTags.filter((tag) => !media.aiTags.includes(tag)).length
        setAnswer(newCount > 0 ? `${countOf(newCount, 'tag')} suggested` : nothingSuggested)
      },
    })
  }
  return (
    <PanelSection
      title="Tags"
      action={
        hasAi &&
        !media.trashedAt && (
          <Button size="sm" variant="quiet" isPending={suggest.isPending} onClick={ask} className="-mr-2.5">
            Suggest tags
          </Button>
        )
      }
    >
      <p role="status" className="sr-only">
        {answer}
      </p>
      <TagList media={media} />
      {suggest.data && <SuggestedTags media={media} suggested={suggest.data.suggestedTags} onClose={suggest.reset} />}
    </PanelSection>
  )
}
