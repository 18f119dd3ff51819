import Clock from 'lucide-react/icons/clock'
import type { Selection } from '#features/media/client/selection.ts'
import { IconButton } from '#ui/icon-button.tsx'
import { useSelectRecentUploads } from './use-select-recent-uploads.ts'

export function RecentUploadsButton({ selection }: { selection: Selection }) {
  const selectRecent = useSelectRecentUploads(selection)
  return <IconButton label="Recent Uploads" icon={<Clock />} variant="secondary" onClick={selectRecent} />
}
