import { lazyPart } from '#ui/lazy-part.tsx'
import { LibraryScreen } from './signed-in-screens.ts'

// Every screen is a chunk of its own, loaded when it is first shown or, for the shell's screens, a moment before.
export const SignedInArea = lazyPart(async () => (await import('./signed-in-area.tsx')).SignedInArea)
export const AuthPage = lazyPart(async () => (await import('#features/auth/client/auth-page.tsx')).AuthPage)
export const PublicScreen = lazyPart(async () => (await import('./public-screen.tsx')).PublicScreen)
export const NotFoundPage = lazyPart(async () => (await import('./not-found-page.tsx')).NotFoundPage)

/** Asks for the shell and the library at once. The rarer screens may well be refused to this person: they wait. */
export function preloadScreen(path: string) {
  void SignedInArea.preload()
  if (path === '/') void LibraryScreen.preload()
}
