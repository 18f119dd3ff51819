import AppWindow from 'lucide-react/icons/app-window'
import Ellipsis from 'lucide-react/icons/ellipsis'
import Pencil from 'lucide-react/icons/pencil'
import Shredder from 'lucide-react/icons/shredder'
import type { ReactNode } from 'react'
import { countOf, itemsInWords } from '#shared/count.ts'
import { languageName } from '#shared/languages.ts'
import { IconButton } from '#ui/icon-button.tsx'
import { DropdownMenu } from '#ui/menus/dropdown-menu.tsx'
import { MenuItem, MenuSeparator } from '#ui/menus/menu-item.tsx'
import type { Website } from '../contract.ts'

type WebsiteCardProps = {
  website: Website
  onEdit: () => void
  onDelete: () => void
  /** Links to its collections. */
  children: ReactNode
}

export function WebsiteCard({ website, onEdit, onDelete, children }: WebsiteCardProps) {
  const { name, url, languages, collectionCount, mediaCount } = website
  return (
    <article aria-label={name} className="flex h-full flex-col gap-3 rounded-md border border-line bg-surface p-3.5">
      <div className="flex items-start gap-3">
        <Logo branding={website.branding} />
        <div className="min-w-0 grow">
          <h2 className="truncate font-medium" dir="auto">
            {name}
          </h2>
          {url && (
            <a
              href={url}
              target="_blank"
              rel="noopener noreferrer"
              className="block truncate rounded-sm text-muted text-sm hover:text-ink hover:underline"
            >
              {url.replace(/^https?:\/\/(www\.)?|\/$/g, '')}
            </a>
          )}
        </div>
        <DropdownMenu
          trigger={<IconButton label={`Actions for ${name}`} icon={<Ellipsis />} size="sm" hasTooltip={false} />}
        >
          <MenuItem icon={<Pencil />} onSelect={onEdit}>
            Edit Website
          </MenuItem>
          <MenuSeparator />
          <MenuItem icon={<Shredder />} tone="danger" onSelect={onDelete}>
            Delete Website
          </MenuItem>
        </DropdownMenu>
      </div>
      <p className="line-clamp-2 text-muted text-sm">{languages.map(languageName).join(' · ')}</p>
      <p className="figures text-muted text-sm">
        {countOf(collectionCount, 'collection')} · {itemsInWords(mediaCount)}
      </p>
      {collectionCount > 0 && <div className="border-line border-t pt-2">{children}</div>}
    </article>
  )
}

function Logo({ branding: { logoUrl, accentColor } }: Pick<Website, 'branding'>) {
  const source = logoUrl?.startsWith('/files/') ? `${logoUrl}?w=320&format=webp` : logoUrl
  return (
    <span
      aria-hidden="true"
      style={{ color: accentColor }}
      className="grid size-10 shrink-0 place-items-center overflow-hidden rounded-sm bg-hover text-muted"
    >
      {source ? (
        <img src={source} alt="" referrerPolicy="no-referrer" className="size-full object-contain p-0.5" />
      ) : (
        <AppWindow />
      )}
    </span>
  )
}
