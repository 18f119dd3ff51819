import Globe from 'lucide-react/icons/globe'
import { Badge } from '#ui/badge.tsx'

export function PublicBadge() {
  return <Badge icon={<Globe aria-hidden="true" />}>Public</Badge>
}
