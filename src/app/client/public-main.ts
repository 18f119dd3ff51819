import '#features/sharing/client/public-page.css'
import '#features/sharing/client/public-grid.css'
import '#features/sharing/client/public-parts.css'
import { mountPublicCollectionPage } from '#features/sharing/client/public-collection-page.ts'
import { mountPublicMediaPage } from '#features/sharing/client/public-media-page.ts'

/**
 * [Note: Public pages without React] React alone weighs more than the 50 kB of script that a public page may carry. So the
 * server draws the page, plain functions add to it, and public.html starts them without anything of the application.
 */
const isCollection = /^\/public\/collections\/[^/]/.test(window.location.pathname)
const mount = isCollection ? mountPublicCollectionPage : mountPublicMediaPage
mount(document.getElementById('root')!)
