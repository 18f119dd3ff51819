import { type ReactNode, useState } from 'react'
import type { User } from '#features/auth/contract.ts'
import { DropAnywhere } from '#features/upload/client/drop-anywhere.tsx'
import { classNames } from '#ui/class-names.ts'
import { useIsModalOpen } from '#ui/layers/open-modals.ts'
import { LazyBoundary } from '#ui/lazy-boundary.tsx'
import { lazyComponent } from '#ui/lazy-component.tsx'
import { useMediaQuery } from '#ui/use-media-query.ts'
import { useFocusOnNewScreen } from '../screen-focus.ts'
import { useScreenName } from '../screen-name.ts'
import { LazyUpload } from './lazy-upload.tsx'
import { Sidebar } from './sidebar.tsx'
import { TopBar } from './top-bar.tsx'

const SidebarRail = lazyComponent(
  () => import('./sidebar-rail.tsx'),
  ({ SidebarRail }) => SidebarRail,
)
const SidebarDrawer = lazyComponent(
  () => import('./sidebar-drawer.tsx'),
  ({ SidebarDrawer }) => SidebarDrawer,
)

/** The frame of every signed-in screen: the top bar, and the sidebar in full or as a rail, depending on the width. */
export function Shell({ user, children }: { user: User; children: ReactNode }) {
  const isWide = useMediaQuery('(width > 64rem)')
  const isPhone = useMediaQuery('(width < 48rem)')
  const isBehindModal = useIsModalOpen()
  const [isDrawerOpen, setIsDrawerOpen] = useState(false)
  // Rotating a phone to a width without a drawer and back does not reopen the drawer.
  if (isDrawerOpen && !isPhone) setIsDrawerOpen(false)
  const mainRef = useFocusOnNewScreen(useScreenName())
  return (
    <>
      <a
        href="#main"
        className="fixed top-2 left-2 z-50 -translate-y-20 rounded-sm bg-accent px-3 py-2 font-medium text-on-accent focus:translate-y-0"
      >
        Skip to content
      </a>
      <TopBar user={user} onOpenDrawer={isPhone ? () => setIsDrawerOpen(true) : undefined} />
      <div aria-hidden={isBehindModal || undefined} className="flex">
        {!isPhone && (
          <aside
            aria-label="Sidebar"
            className={classNames(
              'sticky top-14 h-[calc(100dvh-3.5rem)] shrink-0 overflow-y-auto overscroll-contain border-line border-r',
              isWide ? 'w-62' : 'w-14',
            )}
          >
            {isWide ? (
              <Sidebar className="min-h-full p-3" />
            ) : (
              <LazyBoundary>
                <SidebarRail />
              </LazyBoundary>
            )}
          </aside>
        )}
        <main ref={mainRef} id="main" tabIndex={-1} className="min-w-0 grow outline-none">
          {children}
        </main>
      </div>
      {isPhone && (
        <LazyBoundary>
          <SidebarDrawer isOpen={isDrawerOpen} onClose={() => setIsDrawerOpen(false)} />
        </LazyBoundary>
      )}
      <LazyUpload />
      <DropAnywhere />
    </>
  )
}
