import { useQuery } from '@tanstack/react-query'
import Ellipsis from 'lucide-react/icons/ellipsis'
import KeyRound from 'lucide-react/icons/key-round'
import ShieldCheck from 'lucide-react/icons/shield-check'
import ShieldOff from 'lucide-react/icons/shield-off'
import Shredder from 'lucide-react/icons/shredder'
import { useState } from 'react'
import { useUser } from '#features/auth/client/queries.ts'
import { bytesInWords } from '#shared/bytes.ts'
import { countOf } from '#shared/count.ts'
import { relativeDate } from '#shared/dates.ts'
import { joinUnbroken } from '#shared/join-unbroken.ts'
import { Badge } from '#ui/badge.tsx'
import { Button } from '#ui/button.tsx'
import { Card } from '#ui/card.tsx'
import { IconButton } from '#ui/icon-button.tsx'
import { DropdownMenu } from '#ui/menus/dropdown-menu.tsx'
import { MenuItem, MenuSeparator } from '#ui/menus/menu-item.tsx'
import { ActionCell, Cell, Head, Row, RowHead, Table } from '#ui/table.tsx'
import { useIsTableNarrow } from '#ui/use-media-query.ts'
import type { AdminUser } from '../contract.ts'
import { LoadState } from './load-state.tsx'
import { useSetAdmin } from './mutations.ts'
import { adminQueries } from './queries.ts'
import { AddUserDialog, DeleteUserDialog, ResetPasswordDialog } from './user-dialogs.tsx'

type Asked = { about: AdminUser; what: 'password' | 'delete' } | { what: 'add' }

export function UsersTab() {
  const users = useQuery(adminQueries.users())
  const [asked, setAsked] = useState<Asked>()
  const close = () => setAsked(undefined)
  return (
    <Card
      title="Users"
      description="Everyone with an account."
      action={<Button onClick={() => setAsked({ what: 'add' })}>Add user</Button>}
      isFlush
    >
      <LoadState query={users} what="users" isFlush>
        {(data) => <UserTable users={data} onAsk={setAsked} />}
      </LoadState>
      {asked?.what === 'add' && <AddUserDialog onClose={close} />}
      {asked?.what === 'password' && <ResetPasswordDialog user={asked.about} onClose={close} />}
      {asked?.what === 'delete' && <DeleteUserDialog user={asked.about} onClose={close} />}
    </Card>
  )
}

const username = { label: 'Username' }
const email = { label: 'Email' }
const role = { label: 'Role' }
const figures = [
  { label: 'Media', isNumeric: true },
  { label: 'Collections', isNumeric: true },
  { label: 'Storage', isNumeric: true },
  { label: 'Joined', isNumeric: true },
]
const actions = { label: 'Actions', isHidden: true }

function UserTable({ users, onAsk }: { users: AdminUser[]; onAsk: (asked: Asked) => void }) {
  const self = useUser()
  // In a narrow table the facts of the hidden columns are below the name.
  const isNarrow = useIsTableNarrow()
  return (
    <Table label="Users" maxHeight="70dvh">
      <Head columns={isNarrow ? [username, role, actions] : [username, email, role, ...figures, actions]} />
      <tbody>
        {users.map((user) => (
          <Row key={user.id}>
            <RowHead>
              <div className="wrap-anywhere font-medium">
                {user.username} {user.id === self?.id && <span className="font-normal text-muted">(you)</span>}
              </div>
              {isNarrow && <FactLines user={user} />}
            </RowHead>
            {!isNarrow && <Cell className="max-w-64 truncate text-muted">{user.email}</Cell>}
            <Cell>{user.is_admin ? <Badge tone="info">Admin</Badge> : <Badge>User</Badge>}</Cell>
            {!isNarrow && <FigureCells user={user} />}
            <ActionCell className="w-0">
              {user.id !== self?.id && (
                <UserMenu
                  user={user}
                  onResetPassword={() => onAsk({ about: user, what: 'password' })}
                  onDelete={() => onAsk({ about: user, what: 'delete' })}
                />
              )}
            </ActionCell>
          </Row>
        ))}
      </tbody>
    </Table>
  )
}

function FigureCells({ user }: { user: AdminUser }) {
  return (
    <>
      <Cell isNumeric>{user.media_count.toLocaleString('en')}</Cell>
      <Cell isNumeric>{user.collection_count.toLocaleString('en')}</Cell>
      <Cell isNumeric>{bytesInWords(user.storage_used)}</Cell>
      <Cell isNumeric>{relativeDate(user.created_at)}</Cell>
    </>
  )
}

function FactLines({ user }: { user: AdminUser }) {
  const media = countOf(user.media_count, 'item')
  const collections = countOf(user.collection_count, 'collection')
  return (
    <div className="figures text-muted text-xs">
      <div className="wrap-anywhere">{user.email}</div>
      <div>{joinUnbroken([media, collections, bytesInWords(user.storage_used)])}</div>
      <div>Joined {relativeDate(user.created_at).toLowerCase()}</div>
    </div>
  )
}

type UserMenuProps = { user: AdminUser; onResetPassword: () => void; onDelete: () => void }

function UserMenu({ user, onResetPassword, onDelete }: UserMenuProps) {
  const setAdmin = useSetAdmin()
  const trigger = (
    <IconButton
      label={`Actions for ${user.username}`}
      icon={<Ellipsis />}
      size="sm"
      hasTooltip={false}
      isPending={setAdmin.isPending}
    />
  )
  return (
    <DropdownMenu trigger={trigger}>
      <MenuItem
        icon={user.is_admin ? <ShieldOff /> : <ShieldCheck />}
        onSelect={() => setAdmin.mutate({ user, isAdmin: !user.is_admin })}
      >
        {user.is_admin ? 'Revoke admin' : 'Make admin'}
      </MenuItem>
      <MenuItem icon={<KeyRound />} onSelect={onResetPassword}>
        Reset password
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={<Shredder />} tone="danger" onSelect={onDelete}>
        Delete user
      </MenuItem>
    </DropdownMenu>
  )
}
