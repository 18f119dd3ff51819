import '#features/sharing/client/public-page.css'
import '#features/sharing/client/public-grid.css'
import '#features/sharing/client/public-parts.css'
import { mountPublicPage } from './public.ts'

mountPublicPage(document.getElementById('root')!, window.location.pathname)
