import Globe from 'lucide-react/icons/globe'
import { useState } from 'react'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { CopyButton } from '#ui/copy-button.tsx'
import { focusIfLost } from '#ui/focus/lost-focus.ts'
import { toast, toastError } from '#ui/notices/toast.ts'
import type { ViewedMedia } from '../../contract.ts'
import { useMakePublic } from '../mutations.ts'
import { IndexingChoice } from './indexing-choice.tsx'
import { publicPagesOf } from './public-pages-of.ts'
import { SlugForm } from './slug-form.tsx'
import { useMakePrivate, useRenewPublicUrl } from './viewer-mutations.ts'

/** Another function, which React calls although the button has been there before. */
const focusAgain = (element: HTMLElement | null) => focusIfLost(element)

/** The item's public address, with buttons to create, copy, rename and remove it. */
export function PublicLink({ media }: { media: ViewedMedia }) {
  const [renaming, setRenaming] = useState<'now' | 'over'>()
  const makePublic = useMakePublic()
  const makePrivate = useMakePrivate()
  const renew = useRenewPublicUrl()
  if (!media.publicUrl) {
    const { smartCollections = [] } = media
    const pages = publicPagesOf([...media.collections, ...smartCollections])
    return (
      <>
        <p className="wrap-anywhere mb-2.5 text-muted text-sm">
          {pages ? `Shown on ${pages}.` : 'Only you can see this.'}
        </p>
        <Button
          ref={makePrivate.isIdle ? undefined : focusIfLost}
          icon={<Globe />}
          isPending={makePublic.isPending}
          onClick={() => makePublic.mutate(media.id)}
        >
          Create public URL
        </Button>
      </>
    )
  }
  const isPublicAgain = makePublic.data?.isEarlierUrl === true && makePublic.data.publicUrl === media.publicUrl
  const isRenewed = !renew.isIdle && !isPublicAgain
  return (
    <>
      <div className="flex items-center gap-1 rounded-sm border border-line bg-raised py-0.5 pr-0.5 pl-3">
        <a
          href={media.publicUrl}
          target="_blank"
          rel="noreferrer"
          className="min-w-0 grow truncate text-sm underline-offset-2 hover:underline"
        >
          {media.publicUrl.replace(/^https?:\/\//, '')}
        </a>
        <CopyButton
          ref={isRenewed ? focusAgain : makePublic.isIdle ? undefined : focusIfLost}
          isIconOnly
          size="sm"
          label="Copy public URL"
          variant="quiet"
          text={media.publicUrl}
          onCopied={() => toast({ title: 'Copied to clipboard', description: 'Public URL copied successfully.' })}
          onFailed={() => toastError('Copy failed', media.publicUrl!)}
        />
      </div>
      {isPublicAgain && (
        <Alert tone="info" className="mt-2.5">
          <p className="mb-2">This is the same link as before. Anyone who still has it can view the item again.</p>
          <Button size="sm" isPending={renew.isPending} onClick={() => renew.mutate(media)}>
            Use a new link
          </Button>
        </Alert>
      )}
      {renaming === 'now' ? (
        <SlugForm media={media} onDone={() => setRenaming('over')} />
      ) : (
        <div className="-ml-2.5 mt-2 flex gap-1">
          <Button
            ref={renaming === 'over' ? focusIfLost : undefined}
            size="sm"
            variant="quiet"
            onClick={() => setRenaming('now')}
          >
            Rename URL
          </Button>
          <Button
            size="sm"
            variant="quiet"
            isPending={makePrivate.isPending}
            onClick={() => makePrivate.mutate(media.id)}
          >
            Make private
          </Button>
        </div>
      )}
      <IndexingChoice media={media} />
    </>
  )
}
