import { Suspense, useEffect, useState } from 'react'
import { Redirect, Route, Switch, useLocation } from 'wouter'
import { useUser } from '#features/auth/client/queries.ts'
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

/** What the login is told of whoever was just in the library. */
const signedOut = 'signed-out'

export function Router() {
  const [path] = useLocation()
  const screen = useScreenName()
  usePageTitle(screen)
  useScreenCount(screen)
  return (
    <RoutingFailure path={path}>
      <Suspense fallback={<ScreenLoading />}>
        <Switch>
          <Route path={authPath} component={AuthDoor} />
          <Route path={signedInPaths} component={SignedInDoor} />
          <Route path={publicPath} component={PublicScreen} />
          <Route component={NotFoundPage} />
        </Switch>
      </Suspense>
    </RoutingFailure>
  )
}

function AuthDoor() {
  const user = useUser()
  if (user === undefined) return <ScreenLoading />
  if (user) return <Redirect to="/" replace />
  return <AuthPage wasSignedIn={history.state === signedOut} />
}

function SignedInDoor() {
  const [path] = useLocation()
  const user = useUser()
  const [wasSignedIn, setWasSignedIn] = useState(false)
  if (user && !wasSignedIn) setWasSignedIn(true)
  // While the server says who is there, the screen is already on its way.
  useEffect(() => preloadScreen(path), [path])
  if (user === undefined) return <ScreenLoading />
  if (user === null) return <Redirect to="/auth" replace state={wasSignedIn ? signedOut : null} />
  // Another person finds nothing of the last one: no dialog, no selection, no upload.
  return <SignedInArea key={user.id} user={user} />
}
