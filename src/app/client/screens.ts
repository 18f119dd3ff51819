import { lazyComponent } from '#ui/lazy-component.tsx'
import { LibraryScreen } from './signed-in-screens.ts'

// Every screen is a separate chunk, loaded when it is first shown or, for the shell's screens, shortly before.
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

/** Preloads the shell and the library. Other screens are not preloaded, since this user may not be allowed to see them. */
export function preloadScreen(path: string) {
  void SignedInArea.preload()
  if (path === '/') void LibraryScreen.preload()
}
