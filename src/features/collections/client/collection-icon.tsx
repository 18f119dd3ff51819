import Folder from 'lucide-react/icons/folder'
import FolderSearch from 'lucide-react/icons/folder-search'
import type { CollectionSummary } from '../contract.ts'

/** Smart collections have an icon of their own, also for screen readers. */
export function CollectionIcon({ query }: Pick<CollectionSummary, 'query'>) {
  return query === null ? <Folder aria-hidden="true" /> : <FolderSearch role="img" aria-label="Smart collection" />
}
