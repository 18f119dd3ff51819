import { lazyPart } from '#ui/lazy-part.tsx'

export const LibraryScreen = lazyPart(async () => (await import('./library-screen.tsx')).LibraryScreen)
export const ToolScreen = lazyPart(async () => (await import('./tool-screen.tsx')).ToolScreen)
export const ScraperPage = lazyPart(async () => (await import('#features/scraper/client/scraper-page.tsx')).ScraperPage)
export const AdminPage = lazyPart(async () => (await import('#features/admin/client/admin-page.tsx')).AdminPage)
export const DatabasePage = lazyPart(
  async () => (await import('#features/database-viewer/client/database-page.tsx')).DatabasePage,
)
