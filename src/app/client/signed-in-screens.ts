import { lazyComponent } from '#ui/lazy-component.tsx'

export const LibraryScreen = lazyComponent(
  () => import('./library-screen.tsx'),
  ({ LibraryScreen }) => LibraryScreen,
)
export const ToolScreen = lazyComponent(
  () => import('./tool-screen.tsx'),
  ({ ToolScreen }) => ToolScreen,
)
export const ScraperScreen = lazyComponent(
  () => import('./scraper-screen.tsx'),
  ({ ScraperScreen }) => ScraperScreen,
)
export const TagsScreen = lazyComponent(
  () => import('./tags-screen.tsx'),
  ({ TagsScreen }) => TagsScreen,
)
export const WebsitesScreen = lazyComponent(
  () => import('./websites-screen.tsx'),
  ({ WebsitesScreen }) => WebsitesScreen,
)
export const AdminPage = lazyComponent(
  () => import('#features/admin/client/admin-page.tsx'),
  ({ AdminPage }) => AdminPage,
)
export const DatabasePage = lazyComponent(
  () => import('#features/database-viewer/client/database-page.tsx'),
  ({ DatabasePage }) => DatabasePage,
)
