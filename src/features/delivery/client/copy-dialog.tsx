import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import Globe from 'lucide-react/icons/globe'
import { useState } from 'react'
import { refreshMedia } from '#features/media/client/mutations.ts'
import { mediaQueries } from '#features/media/client/queries.ts'
import type { Media, mediaApi } from '#features/media/contract.ts'
import { call, causeOf } from '#platform/client/call.ts'
import { Alert } from '#ui/alert.tsx'
import { Button } from '#ui/button.tsx'
import { copyText } from '#ui/copy-text.ts'
import { Dialog } from '#ui/layers/dialog.tsx'
import { toastError, toastSuccess } from '#ui/notices/toast.ts'
import type { SnippetItem, SnippetSize } from '../snippets.ts'
import { CopyPanel } from './copy-panel.tsx'
import { CroppedPicture } from './cropped-picture.tsx'
import { toSnippetItem } from './snippet-item.ts'
import { useAltLanguage } from './use-alt-language.tsx'

/** Copies an item for use on a website. */
export function CopyDialog({ media: given, onClose }: { media: Media; onClose: () => void }) {
  const { data: media = given } = useQuery({ ...mediaQueries.one(given.id), placeholderData: given })
  const [size, setSize] = useState<SnippetSize>({})
  const publish = usePublish()
  const language = useAltLanguage([media])
  const item = toSnippetItem(media, language.wanted)
  return (
    <Dialog onClose={onClose} size="lg" title="Copy for website" description={media.filename}>
      <div className="space-y-4">
        {!media.fileUrl && (
          <Alert tone="info">
            Only you can see this item. To show it on a website, it needs a public link; anyone with it can view the
            item.
          </Alert>
        )}
        <div className="flex justify-center">
          <CroppedPicture
            media={media}
            wanted={size.preset ?? { width: size.maxWidth }}
            focalPoint={media.focalPoint}
            className="h-28 max-w-full"
          />
        </div>
        {language.field}
        <CopyPanel
          items={[media.fileUrl ? item : { ...item, ...unknownAddresses() }]}
          weighed={{ id: media.id, originalUrl: media.originalUrl, bytes: media.size }}
          onSizeChange={setSize}
          action={
            media.fileUrl
              ? undefined
              : (write) => (
                  <Button
                    variant="primary"
                    icon={<Globe />}
                    isPending={publish.isPending}
                    onClick={() => publish.mutate({ id: media.id, write, languages: language.wanted })}
                  >
                    Make public and copy
                  </Button>
                )
          }
        />
      </div>
    </Dialog>
  )
}

/** Shows the form of the addresses that a private item will get. */
const unknownAddresses = () => ({ fileUrl: `${location.origin}/i/…`, pageUrl: `${location.origin}/public/…` })

type Publishing = { id: number; write: (items: readonly SnippetItem[]) => string; languages: readonly string[] }

function usePublish() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: async ({ id, write, languages }: Publishing) => {
      const made = call<typeof mediaApi.makePublic>('POST /api/media/:id/public', { params: { id } })
      // Passed as a promise, because Safari copies only during the press.
      const copied = copyText(made.then(({ media }) => write([toSnippetItem(media, languages)])))
      await made
      return copied.then(
        () => true,
        () => false,
      )
    },
    onSuccess: async (isCopied) => {
      toastSuccess('The item is public', isCopied ? 'The code was copied to your clipboard.' : 'Press Copy again.')
      await refreshMedia(queryClient)
    },
    onError: (error) => toastError('Failed to create URL', 'Could not create public URL.', causeOf(error)),
  })
}
