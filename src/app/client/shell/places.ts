import Film from 'lucide-react/icons/film'
import Heart from 'lucide-react/icons/heart'
import ImageIcon from 'lucide-react/icons/image'
import Images from 'lucide-react/icons/images'
import Trash from 'lucide-react/icons/trash-2'
import { useLocation } from 'wouter'
import { useTool } from '#features/analysis/client/tool-address.ts'
import { useLibraryView } from '#features/media/client/use-library-view.ts'
import { type LibraryFilter, openList } from '#features/media/library-view.ts'

export const places: { filter: LibraryFilter; label: string; Icon: typeof Images }[] = [
  { filter: 'all', label: 'All Media', Icon: Images },
  { filter: 'images', label: 'Images', Icon: ImageIcon },
  { filter: 'videos', label: 'Videos', Icon: Film },
  { filter: 'favorites', label: 'Favorites', Icon: Heart },
  { filter: 'trash', label: 'Trash', Icon: Trash },
]

/** The current section of the library, and navigation to another one. Sections are states of the library in its query string. */
export function usePlace() {
  const [path] = useLocation()
  const [view, setView] = useLibraryView()
  const tool = useTool()
  const isHere = path === '/' && view.tab === 'media' && !tool
  return {
    filter: isHere && view.collectionId === undefined ? view.filter : undefined,
    collectionId: isHere ? view.collectionId : undefined,
    openFilter: (filter: LibraryFilter) => setView(openList({ filter })),
    openCollection: (collectionId: number) => setView(openList({ collectionId })),
  }
}
