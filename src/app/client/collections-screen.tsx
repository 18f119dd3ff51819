import { CollectionsTab } from '#features/collections/client/collections-tab.tsx'
import { LazyCollectionDialogs } from './lazy-collection-dialogs.tsx'

/** The collections tab, with dialogs from other features. */
export function CollectionsScreen() {
  return <CollectionsTab Dialogs={LazyCollectionDialogs} />
}
