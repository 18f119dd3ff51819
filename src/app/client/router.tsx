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

/** Expressions, since a path in words would take capitals too, which the server does not. */
const authPath = /^\/auth$/
/** One for all screens of the shell, so that it stays in place while they change inside it. */
const signedInPaths = /^\/(?:scraper|admin|database)?$/

/** What the login is told: that somebody was just in the library, or which link or bookmark they opened. */
type LoginState = 'signed-out' | { opened: string }

/** Only `SignedInDoor` writes it; whoever comes by themselves has none. */
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
          <Route path={authPath} component={AuthDoor} />
          <Route path={signedInPaths} component={SignedInDoor} />
          <Route path={publicPath} component={PublicScreen} />
          <Route component={NotFoundPage} />
        </Switch>
      </LazyFallback>
    </RoutingFailure>
  )
}

function AuthDoor() {
  const user = useUser()
  if (user === undefined) return <ScreenLoading />
  const state = loginState()
  const wasSignedIn = state === 'signed-out'
  if (user) return <Redirect to={state && !wasSignedIn ? state.opened : '/'} replace />
  return <AuthPage wasSignedIn={wasSignedIn} />
}

function SignedInDoor() {
  const [path] = useLocation()
  const user = useUser()
  const [wasSignedIn, setWasSignedIn] = useState(false)
  if (user && !wasSignedIn) setWasSignedIn(true)
  // While the server says who is there, the screen is already on its way.
  useEffect(() => preloadScreen(path), [path])
  if (user === undefined) return <ScreenLoading />
  if (user === null) {
    // After a logout the next one may be another person, who begins at the library.
    const state: LoginState = wasSignedIn ? 'signed-out' : { opened: path + location.search }
    return <Redirect to="/auth" replace state={state} />
  }
  // Another person finds nothing of the last one: no dialog, no selection, no upload.
  return <SignedInArea key={user.id} user={user} />
}
