import { lazyPart } from '#ui/lazy-part.tsx'

export const LibraryScreen = lazyPart(
  () => import('./library-screen.tsx'),
  ({ LibraryScreen }) => LibraryScreen,
)
export const ToolScreen = lazyPart(
  () => import('./tool-screen.tsx'),
  ({ ToolScreen }) => ToolScreen,
)
export const ScraperPage = lazyPart(
  () => import('#features/scraper/client/scraper-page.tsx'),
  ({ ScraperPage }) => ScraperPage,
)
export const AdminPage = lazyPart(
  () => import('#features/admin/client/admin-page.tsx'),
  ({ AdminPage }) => AdminPage,
)
export const DatabasePage = lazyPart(
  () => import('#features/database-viewer/client/database-page.tsx'),
  ({ DatabasePage }) => DatabasePage,
)
