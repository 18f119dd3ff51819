import { useQuery } from '@tanstack/react-query'
import ArrowDownUp from 'lucide-react/icons/arrow-down-up'
import FolderPlus from 'lucide-react/icons/folder-plus'
import Folders from 'lucide-react/icons/folders'
import Keyboard from 'lucide-react/icons/keyboard'
import ListOrdered from 'lucide-react/icons/list-ordered'
import SearchIcon from 'lucide-react/icons/search'
import Upload from 'lucide-react/icons/upload'
import type { ReactNode } from 'react'
import { useLocation } from 'wouter'
import { CollectionIcon } from '#features/collections/client/collection-icon.tsx'
import { collectionQueries } from '#features/collections/client/queries.ts'
import { libraryCommands } from '#features/media/client/library-commands.ts'
import { layouts, sortLabels } from '#features/media/client/library-toolbar.tsx'
import { setLibraryView, useLibraryView } from '#features/media/client/use-library-view.ts'
import { hasOwnOrder, isOfSimilar, openUnfiltered, sortBy } from '#features/media/library-view.ts'
import { pageSizes, type Sort } from '#features/media/limits.ts'
import { openUpload } from '#features/upload/client/upload-store.ts'
import type { Offer } from '#ui/commands/use-command.ts'
import { areSingleKeysEnabled, enableSingleKeys } from '#ui/keys/hotkey.ts'
import { lazyComponent } from '#ui/lazy-component.tsx'
import { chooseTheme } from '#ui/theme/theme.ts'
import { themeChoices } from '#ui/theme/theme-toggle.tsx'
import { places, usePlace } from './places.ts'
import { useTools } from './tools.ts'

const CreateDialog = lazyComponent(
  () => import('#features/collections/client/dialogs/create-dialog.tsx'),
  ({ CreateDialog }) => CreateDialog,
)

/** What the palette offers on every screen besides the user menu. */
export function usePaletteCommands(onDialogChange: (dialog: ReactNode) => void) {
  const [path, navigate] = useLocation()
  const [view] = useLibraryView()
  const { openFilter, openCollection } = usePlace()
  const tools = useTools()
  const { data: collections = [] } = useQuery(collectionQueries.summaries())
  const closeDialog = () => onDialogChange(undefined)
  const createCollection = () =>
    onDialogChange(<CreateDialog onClose={closeDialog} onCreated={({ id }) => setLibraryView(openUnfiltered(id))} />)
  const isLibrary = path === '/' && view.tab === 'media'

  const toPlaces: Offer[] = [
    ...places.map(({ filter, label, Icon }) => ({ name: label, icon: <Icon />, run: () => openFilter(filter) })),
    {
      name: 'Collections',
      icon: <Folders />,
      run: () => setLibraryView({ tab: 'collections', collectionId: undefined, itemId: undefined }),
    },
    ...tools.map(({ label, Icon, address }) => ({ name: label, icon: <Icon />, run: () => navigate(address) })),
  ]
  const actions: Offer[] = [
    { name: 'Upload', icon: <Upload />, run: () => openUpload() },
    { name: 'New collection', icon: <FolderPlus />, run: createCollection },
    { ...libraryCommands.search, icon: <SearchIcon />, run: focusSearch },
  ]
  const ofLibrary: Offer[] = [
    ...(isOfSimilar(view) ? [] : sortsOf(hasOwnOrder(view))).map((sort) => ({
      name: `Sort by ${sortLabels[sort].toLowerCase()}`,
      icon: <ArrowDownUp />,
      run: () => setLibraryView(sortBy(view, sort)),
    })),
    ...layouts.map(({ value, label, icon }) => ({
      name: label,
      icon,
      run: () => setLibraryView({ layout: value }, { replace: true }),
    })),
    ...pageSizes.map((pageSize) => ({
      name: `Show ${pageSize} items per page`,
      icon: <ListOrdered />,
      run: () => setLibraryView({ pageSize }),
    })),
  ]
  const areOn = areSingleKeysEnabled()
  const settings: Offer[] = [
    ...themeChoices.map(({ value, label, Icon }) => ({
      name: `${label} theme`,
      icon: <Icon />,
      run: () => chooseTheme(value),
    })),
    ...(isLibrary ? ofLibrary : []),
    {
      name: `Turn ${areOn ? 'off' : 'on'} single-key shortcuts`,
      icon: <Keyboard />,
      run: () => enableSingleKeys(!areOn),
    },
  ]
  return {
    places: toPlaces,
    actions,
    settings,
    collections: collections.map(({ id, name, query, mediaCount }) => ({
      name,
      icon: <CollectionIcon query={query} />,
      collectionId: id,
      count: mediaCount,
      run: () => openCollection(id),
    })),
  }
}

const sortsOf = (hasManualOrder: boolean) =>
  (Object.keys(sortLabels) as Sort[]).filter((sort) => sort !== 'manual' || hasManualOrder)

const focusSearch = () => document.querySelector<HTMLInputElement>('search input[type=search]')?.focus()
