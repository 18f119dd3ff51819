import { useQuery } from '@tanstack/react-query'
import { CollectionsTab } from '#features/collections/client/collections-tab.tsx'
import { useRemoveFromCollection } from '#features/collections/client/mutations.ts'
import { collectionQueries } from '#features/collections/client/queries.ts'
import { LibraryPage } from '#features/media/client/library-page.tsx'
import { useLibraryView } from '#features/media/client/library-view.ts'
import { openUpload } from '#features/upload/client/upload-store.ts'
import { Tab, TabList, TabPanel, Tabs } from '#ui/tabs.tsx'

/** The library with what other features bring to it: collections, bulk actions, the viewer. */
export function LibraryScreen() {
  const [view, setView] = useLibraryView()
  const { data: collections } = useQuery(collectionQueries.summaries())
  const removeFromCollection = useRemoveFromCollection()
  const { collectionId } = view
  return (
    <Tabs
      value={view.tab}
      onValueChange={(tab) => setView({ tab: tab === 'collections' ? 'collections' : 'media' })}
      className="px-4 pt-1 pb-10 sm:px-6"
    >
      <TabList label="Library" className="mb-5">
        <Tab value="media">Media Library</Tab>
        <Tab value="collections">
          <span className="max-sm:hidden">Collections</span>
          <span className="sm:hidden">Folders</span>
        </Tab>
      </TabList>
      <TabPanel value="media">
        <LibraryPage
          collectionName={collections?.find(({ id }) => id === collectionId)?.name}
          onAdd={() => openUpload()}
          onRemoveFromCollection={
            collectionId === undefined
              ? undefined
              : ({ id }) => removeFromCollection.mutate({ collectionId, mediaId: id })
          }
          renderSelectionBar={() => null}
          renderViewer={() => null}
        />
      </TabPanel>
      <TabPanel value="collections">
        <CollectionsTab />
      </TabPanel>
    </Tabs>
  )
}
