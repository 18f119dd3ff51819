import Folder from 'lucide-react/icons/folder'
import type { ReactNode } from 'react'
import { useLocation } from 'wouter'
import { IconButton } from '#ui/icon-button.tsx'
import { Popover } from '#ui/layers/popover.tsx'
import { CollectionList } from './collection-list.tsx'
import { places, usePlace } from './places.ts'
import { StorageMeter, useStorageUse } from './storage-meter.tsx'
import { useTools } from './tools.ts'

/** The sidebar as icons, for screens that are too narrow for labels. */
export function SidebarRail() {
  const [, navigate] = useLocation()
  const tools = useTools()
  const { filter: currentFilter, collectionId, openFilter } = usePlace()
  return (
    <div className="flex min-h-full flex-col items-center gap-1 py-3">
      <nav aria-label="Library" className="flex flex-col gap-1">
        {places.map(({ filter, label, Icon }) => (
          <RailItem
            key={filter}
            label={label}
            icon={<Icon />}
            isCurrent={currentFilter === filter}
            onSelect={() => openFilter(filter)}
          />
        ))}
      </nav>
      <hr className="my-1 w-6 border-line" />
      <Popover
        label="Collections"
        side="right"
        className="w-64! p-2!"
        trigger={
          <IconButton
            label="Collections"
            tooltipSide="right"
            icon={<Folder />}
            className={collectionId === undefined ? undefined : 'bg-hover text-accent!'}
          />
        }
      >
        {(close) => <CollectionList onSelect={close} />}
      </Popover>
      <div className="mt-auto flex flex-col items-center gap-1">
        {tools.map(({ label, Icon, address, isCurrent }) => (
          <RailItem
            key={address}
            label={label}
            icon={<Icon />}
            isCurrent={isCurrent}
            onSelect={() => navigate(address)}
          />
        ))}
        <StorageRing />
      </div>
    </div>
  )
}

type RailItemProps = { label: string; icon: ReactNode; isCurrent: boolean; onSelect: () => void }

function RailItem({ label, icon, isCurrent, onSelect }: RailItemProps) {
  return (
    <IconButton
      label={label}
      // Below the icon, it would cover the next one.
      tooltipSide="right"
      icon={icon}
      aria-current={isCurrent ? 'page' : undefined}
      onClick={onSelect}
      className={isCurrent ? 'bg-hover text-accent!' : undefined}
    />
  )
}

/** The storage meter as a ring. Clicking it shows the numbers. */
function StorageRing() {
  const use = useStorageUse()
  const ring = (
    <svg viewBox="0 0 24 24" fill="none" strokeWidth="2.5" aria-hidden="true" className="size-5 -rotate-90">
      <circle cx="12" cy="12" r="9" className="stroke-line-strong" />
      <circle
        cx="12"
        cy="12"
        r="9"
        pathLength="100"
        strokeDasharray={`${use?.percent ?? 0} 100`}
        className={use?.isNearlyFull ? 'stroke-danger' : 'stroke-accent'}
      />
    </svg>
  )
  return (
    <Popover
      label="Storage"
      side="right"
      align="end"
      className="w-56! p-0!"
      trigger={<IconButton label="Storage" icon={ring} tooltipSide="right" />}
    >
      <StorageMeter />
    </Popover>
  )
}
