import '#ui/tokens.css'
import { mountPublicPage } from './public.ts'

mountPublicPage(document.getElementById('root')!, window.location.pathname)
