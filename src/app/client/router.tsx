import { useEffect, useState } from 'react'
import { Redirect, Route, Switch, useLocation } from 'wouter'
import { useUser } from '#features/auth/client/queries.ts'
import { LazyFallback } from '#ui/lazy-component.tsx'
import { publicPath, usePageTitle } from './page-title.ts'
import { RoutingFailure } from './routing-failure.tsx'
import { useScreenCount } from './screen-focus.ts'
import { ScreenLoading } from './screen-loading.tsx'
import { useScreenName } from './screen-name.ts'
import { AuthPage, NotFoundPage, PublicScreen, preloadScreen, SignedInArea } from './screens.ts'

/** Regular expressions, since wouter's string patterns ignore case and the server does not. */
const authPath = /^\/auth$/
/** One pattern for all signed-in screens, so that the shell stays mounted while they change. */
const signedInPaths = /^\/(?:tags|websites|scraper|admin|database)?$/

/** Tells the sign-in page that the user has just signed out, or which link to open after signing in. */
type LoginState = 'signed-out' | { opened: string }

/** Written by `SignedInRoute`; null for a visitor who opened the page directly. */
const loginState = () => history.state as LoginState | null

export function Router() {
  const [path] = useLocation()
  const screen = useScreenName()
  usePageTitle(screen)
  useScreenCount(screen)
  return (
    <RoutingFailure path={path}>
      <LazyFallback show={<ScreenLoading />}>
        <Switch>
          <Route path={authPath} component={AuthRoute} />
          <Route path={signedInPaths} component={SignedInRoute} />
          <Route path={publicPath} component={PublicScreen} />
          <Route component={NotFoundPage} />
        </Switch>
      </LazyFallback>
    </RoutingFailure>
  )
}

function AuthRoute() {
  const user = useUser()
  if (user === undefined) return <ScreenLoading />
  const state = loginState()
  const wasSignedIn = state === 'signed-out'
  if (user) return <Redirect to={state && !wasSignedIn ? state.opened : '/'} replace />
  return <AuthPage wasSignedIn={wasSignedIn} />
}

function SignedInRoute() {
  const [path] = useLocation()
  const user = useUser()
  const [wasSignedIn, setWasSignedIn] = useState(false)
  if (user && !wasSignedIn) setWasSignedIn(true)
  // The screen's code loads while the server answers who is signed in.
  useEffect(() => preloadScreen(path), [path])
  if (user === undefined) return <ScreenLoading />
  if (user === null) {
    // After signing out, the next user may be another one, who starts at the library.
    const state: LoginState = wasSignedIn ? 'signed-out' : { opened: path + location.search }
    return <Redirect to="/auth" replace state={state} />
  }
  // The key discards all state of the previous user: dialogs, selection, uploads.
  return <SignedInArea key={user.id} user={user} />
}
