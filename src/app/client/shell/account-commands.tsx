import Database from 'lucide-react/icons/database'
import History from 'lucide-react/icons/history'
import KeyRound from 'lucide-react/icons/key-round'
import Keyboard from 'lucide-react/icons/keyboard'
import Languages from 'lucide-react/icons/languages'
import LogOut from 'lucide-react/icons/log-out'
import Proportions from 'lucide-react/icons/proportions'
import Shield from 'lucide-react/icons/shield'
import type { ReactNode } from 'react'
import { useLocation } from 'wouter'
import { useLogout } from '#features/auth/client/mutations.ts'
import type { User } from '#features/auth/contract.ts'
import { libraryCommands } from '#features/media/client/library-commands.ts'
import { useServices } from '#features/media/client/use-services.ts'
import type { Offer } from '#ui/commands/use-command.ts'
import { lazyComponent } from '#ui/lazy-component.tsx'

const ChangePasswordDialog = lazyComponent(
  () => import('#features/auth/client/change-password-dialog.tsx'),
  ({ ChangePasswordDialog }) => ChangePasswordDialog,
)
const PresetsDialog = lazyComponent(
  () => import('#features/delivery/client/presets-dialog.tsx'),
  ({ PresetsDialog }) => PresetsDialog,
)
const LanguageDialog = lazyComponent(
  () => import('#features/analysis/client/language-dialog.tsx'),
  ({ LanguageDialog }) => LanguageDialog,
)
const HistoryDialog = lazyComponent(
  () => import('#features/bulk-actions/client/history-dialog.tsx'),
  ({ HistoryDialog }) => HistoryDialog,
)

/** `onDialogChange` shows a dialog, which stays open when the menu or the palette closes. */
type Account = { user: User; onDialogChange: (dialog: ReactNode) => void; onListKeys: () => void }

/** What a user can do on every screen, in the order of the user menu. */
export function useAccountCommands({ user, onDialogChange, onListKeys }: Account) {
  const [, navigate] = useLocation()
  const logout = useLogout()
  const { hasAi } = useServices()
  const closeDialog = () => onDialogChange(undefined)
  const admin: Offer[] = [
    { name: 'Admin Panel', icon: <Shield />, run: () => navigate('/admin') },
    { name: 'Database Viewer', icon: <Database />, run: () => navigate('/database') },
  ]
  const own: Offer[] = [
    { name: 'History', icon: <History />, run: () => onDialogChange(<HistoryDialog onClose={closeDialog} />) },
    { name: 'Presets', icon: <Proportions />, run: () => onDialogChange(<PresetsDialog onClose={closeDialog} />) },
    ...(hasAi
      ? [
          {
            name: 'AI language',
            icon: <Languages />,
            run: () => onDialogChange(<LanguageDialog onClose={closeDialog} />),
          },
        ]
      : []),
    { ...libraryCommands.shortcuts, icon: <Keyboard />, run: onListKeys },
    {
      name: 'Change password',
      icon: <KeyRound />,
      run: () => onDialogChange(<ChangePasswordDialog user={user} onClose={closeDialog} />),
    },
    { name: 'Logout', icon: <LogOut />, run: () => logout.mutate() },
  ]
  return { admin: user.isAdmin ? admin : [], own }
}
