import { mountPublicCollectionPage } from '#features/sharing/client/public-collection-page.ts'
import { mountPublicMediaPage } from '#features/sharing/client/public-media-page.ts'

/**
 * [Note: Public pages without React] React alone weighs more than a public page may (67 kB of 50), so these are plain
 * functions that fill an element; public.html starts them without anything of the application.
 */
export function mountPublicPage(root: HTMLElement, pathname: string) {
  const [, , first = '', second] = pathname.split('/')
  if (first === 'collections' && second) return mountPublicCollectionPage(root, decodeURIComponent(second))
  mountPublicMediaPage(root, decodeURIComponent(first))
}
