import { Button, type ButtonProps } from '#ui/button.tsx'
import type { Media } from '../contract.ts'
import { useReprocess } from './mutations.ts'

/** Retries preparing a video for playback. The item then shows the progress. */
export function RetryProcessing({
  media,
  ...look
}: { media: Media } & Pick<ButtonProps, 'size' | 'variant' | 'className'>) {
  const reprocess = useReprocess()
  return (
    <Button
      {...look}
      aria-label={`Retry processing ${media.filename}`}
      isPending={reprocess.isPending}
      onClick={() => reprocess.mutate(media.id)}
    >
      Retry
    </Button>
  )
}
