import Clock from 'lucide-react/icons/clock'
import type { Selection } from '#features/media/client/selection.ts'
import type { LibraryView } from '#features/media/library-view.ts'
import { Button } from '#ui/button.tsx'
import { useOffers } from '#ui/commands/use-command.ts'
import { IconButton } from '#ui/icon-button.tsx'
import { Tooltip } from '#ui/layers/tooltip.tsx'
import { useMediaQuery } from '#ui/use-media-query.ts'
import { useSelectRecentUploads } from './use-select-recent-uploads.ts'

/** A clock icon alone is not self-explanatory, so wide screens show the label next to it. On phones the selection's menu has it. */
export function RecentUploadsButton({ selection, view }: { selection: Selection; view: LibraryView }) {
  const selectRecent = useSelectRecentUploads(selection, view)
  const hasWords = useMediaQuery('(width >= 80rem)')
  const isPhone = useMediaQuery('(width < 40rem)')
  useOffers([{ name: 'Recent Uploads', icon: <Clock />, run: selectRecent }])
  if (isPhone) return null
  const look = { icon: <Clock />, variant: 'secondary', onClick: selectRecent } as const
  return (
    <Tooltip content="Select latest upload">
      {hasWords ? (
        <Button {...look}>Recent Uploads</Button>
      ) : (
        <IconButton {...look} label="Recent Uploads" hasTooltip={false} />
      )}
    </Tooltip>
  )
}
