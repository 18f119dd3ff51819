import { useEffect } from 'react'

const titles: Record<string, string> = {
  '/?duplicates': 'Possible duplicates · Albumen',
  '/?review': 'AI review · Albumen',
  '/auth': 'Login · Albumen',
  '/tags': 'Tags · Albumen',
  '/websites': 'Websites · Albumen',
  '/scraper': 'Web Image Scraper · Albumen',
  '/admin': 'Admin Panel · Albumen',
  '/database': 'Database Viewer · Albumen',
}

/** An item's or a collection's public page. */
export const publicPath = /^\/public\/(?:collections\/)?[^/]+$/

/** The title of the browser tab. Public pages and the library set their own. */
export function usePageTitle(path: string) {
  useEffect(() => {
    if (path !== '/' && !publicPath.test(path)) document.title = titles[path] ?? 'Page Not Found · Albumen'
  }, [path])
}

export function useLibraryTitle(place: string) {
  useEffect(() => {
    document.title = `${place} · Albumen`
  }, [place])
}
