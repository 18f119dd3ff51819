import { CollectionsTab } from '#features/collections/client/collections-tab.tsx'
import { CollectionDialogsDoor } from './collection-dialogs-door.tsx'

/** Collections with the dialogs that other features bring to them. */
export function CollectionsDoor() {
  return <CollectionsTab renderDialog={(props) => <CollectionDialogsDoor {...props} />} />
}
