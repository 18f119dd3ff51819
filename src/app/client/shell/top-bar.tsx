import Menu from 'lucide-react/icons/menu'
import Upload from 'lucide-react/icons/upload'
import { Link } from 'wouter'
import type { User } from '#features/auth/contract.ts'
import { openUpload } from '#features/upload/client/upload-store.ts'
import { Button } from '#ui/button.tsx'
import { classNames } from '#ui/class-names.ts'
import { IconButton } from '#ui/icon-button.tsx'
import { Logo } from '#ui/logo.tsx'
import { ThemeToggle } from '#ui/theme/theme-toggle.tsx'
import { SearchBox } from './search-box.tsx'
import { UserMenu } from './user-menu.tsx'

type TopBarProps = { user: User; onOpenDrawer?: () => void }

export function TopBar({ user, onOpenDrawer }: TopBarProps) {
  return (
    // On a narrow phone the logo goes, since the drawer has the same link. A phone with magnified text is narrower than 14rem: the
    // search moves to its own row.
    <header
      className={classNames(
        'sticky top-0 z-30 grid h-14 items-center gap-2 px-2 sm:gap-4 sm:px-4',
        'grid-cols-[auto_minmax(0,1fr)_auto] lg:grid-cols-[minmax(0,1fr)_minmax(0,36rem)_minmax(0,1fr)]',
        'border-line border-b bg-canvas/85 backdrop-blur-md',
        '[@media(width<14rem)]:h-auto [@media(width<14rem)]:grid-cols-[auto_1fr] [@media(width<14rem)]:py-2.5',
        '[@media(width<14rem)]:[&>search]:order-last [@media(width<14rem)]:[&>search]:col-span-full',
      )}
    >
      <div className="flex items-center gap-1">
        {onOpenDrawer && <IconButton label="Menu" icon={<Menu />} onClick={onOpenDrawer} hasTooltip={false} />}
        <Link
          href="/"
          className="flex items-center gap-2.5 rounded-sm font-semibold text-lg tracking-tight [@media(width<26rem)]:hidden"
        >
          <Logo />
          <span className="max-md:sr-only">Albumen</span>
        </Link>
      </div>
      <SearchBox />
      <div className="flex items-center justify-end gap-1 sm:gap-2">
        <ThemeToggle />
        <Button variant="primary" icon={<Upload />} onClick={() => openUpload()} className="max-sm:w-9 max-sm:px-0">
          <span className="max-sm:sr-only">Upload</span>
        </Button>
        <UserMenu user={user} />
      </div>
    </header>
  )
}
