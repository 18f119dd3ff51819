import X from 'lucide-react/icons/x'
import { savePreferences } from '#features/auth/client/preferences.ts'
import { useUser } from '#features/auth/client/queries.ts'
import { Status } from '#ui/badge.tsx'
import { Card } from '#ui/card.tsx'
import { IconButton } from '#ui/icon-button.tsx'
import type { SystemFacts } from '../contract.ts'

/** What a new administrator should look at, until all of it is done or the administrator hides it. */
export function SetupCard({ setup }: Pick<SystemFacts, 'setup'>) {
  const preferences = useUser()?.preferences
  if (preferences?.setupList === 'hidden' || setup.every(({ isDone }) => isDone)) return null
  return (
    <Card
      title="Server setup"
      description="Check these before others use this server."
      action={
        <IconButton
          label="Hide server setup"
          icon={<X />}
          size="sm"
          onClick={() => savePreferences({ setupList: 'hidden' })}
        />
      }
      isFlush
    >
      <ul>
        {setup.map(({ name, isDone, message }) => (
          <li
            key={name}
            className="grid grid-cols-[5rem_1fr] items-baseline gap-x-4 border-line border-t px-4 py-2 text-sm sm:grid-cols-[5rem_6.5rem_1fr]"
          >
            <span className="font-medium">{name}</span>
            <Status tone={isDone ? 'success' : 'info'}>{isDone ? 'Done' : 'To do'}</Status>
            <span className="wrap-anywhere text-muted max-sm:col-span-2">{message}</span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
