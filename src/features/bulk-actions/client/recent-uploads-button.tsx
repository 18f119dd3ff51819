import Clock from 'lucide-react/icons/clock'
import type { LibraryView } from '#features/media/client/library-view.ts'
import type { Selection } from '#features/media/client/selection.ts'
import { IconButton } from '#ui/icon-button.tsx'
import { useSelectRecentUploads } from './use-select-recent-uploads.ts'

export function RecentUploadsButton({ selection, view }: { selection: Selection; view: LibraryView }) {
  const selectRecent = useSelectRecentUploads(selection, view)
  return <IconButton label="Recent Uploads" icon={<Clock />} variant="secondary" onClick={selectRecent} />
}
