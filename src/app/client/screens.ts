import { lazyComponent } from '#ui/lazy-component.tsx'
import { LibraryScreen } from './signed-in-screens.ts'

// Every screen is a chunk of its own, loaded when it is first shown or, for the shell's screens, a moment before.
export const SignedInArea = lazyComponent(
  () => import('./signed-in-area.tsx'),
  ({ SignedInArea }) => SignedInArea,
)
export const AuthPage = lazyComponent(
  () => import('#features/auth/client/auth-page.tsx'),
  ({ AuthPage }) => AuthPage,
)
export const PublicScreen = lazyComponent(
  () => import('./public-screen.tsx'),
  ({ PublicScreen }) => PublicScreen,
)
export const NotFoundPage = lazyComponent(
  () => import('./not-found-page.tsx'),
  ({ NotFoundPage }) => NotFoundPage,
)

/** Asks for the shell and the library at once. The rarer screens may well be refused to this person: they wait. */
export function preloadScreen(path: string) {
  void SignedInArea.preload()
  if (path === '/') void LibraryScreen.preload()
}
