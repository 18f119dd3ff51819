import { Redirect, Route, Switch } from 'wouter'
import { useTool } from '#features/analysis/client/tool-address.ts'
import type { User } from '#features/auth/contract.ts'
import { LazyFallback } from '#ui/lazy-component.tsx'
import { useLiveEvents } from './live-events.ts'
import { RoutingFailure } from './routing-failure.tsx'
import { ScreenLoading } from './screen-loading.tsx'
import { useScreenName } from './screen-name.ts'
import { ConnectionBar } from './shell/connection-bar.tsx'
import { Shell } from './shell/shell.tsx'
import {
  AdminPage,
  DatabasePage,
  LibraryScreen,
  ScraperScreen,
  TagsScreen,
  ToolScreen,
  WebsitesScreen,
} from './signed-in-screens.ts'

/** The shell and the screen inside it, for a signed-in user. */
export function SignedInArea({ user }: { user: User }) {
  const screen = useScreenName()
  const tool = useTool()
  useLiveEvents()
  return (
    <Shell user={user}>
      <ConnectionBar />
      <RoutingFailure path={screen} className="grid min-h-[60dvh] place-items-center">
        <LazyFallback show={<ScreenLoading className="min-h-[60dvh]" />}>
          <Switch>
            <Route path="/">{tool ? <ToolScreen key={tool} tool={tool} /> : <LibraryScreen />}</Route>
            <Route path="/tags" component={TagsScreen} />
            <Route path="/websites" component={WebsitesScreen} />
            <Route path="/scraper" component={ScraperScreen} />
            {user.isAdmin && <Route path="/admin" component={AdminPage} />}
            {user.isAdmin && <Route path="/database" component={DatabasePage} />}
            <Route>
              <Redirect to="/" replace />
            </Route>
          </Switch>
        </LazyFallback>
      </RoutingFailure>
    </Shell>
  )
}
