import { useQuery } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { collectionQueries } from '#features/collections/client/queries.ts'
import { classNames } from '#ui/class-names.ts'
import { CollectionList } from './collection-list.tsx'
import { NavItem } from './nav-item.tsx'
import { NewCollection } from './new-collection.tsx'
import { places, usePlace } from './places.ts'
import { StorageMeter } from './storage-meter.tsx'
import { useTools } from './tools.ts'

type SidebarProps = { className?: string; onSelect?: () => void }

export function Sidebar({ className, onSelect }: SidebarProps) {
  const [, navigate] = useLocation()
  const tools = useTools()
  const { filter: currentFilter, openFilter } = usePlace()
  const { data: collections } = useQuery(collectionQueries.summaries())
  return (
    <div className={classNames('flex flex-col gap-5', className)}>
      <nav aria-label="Library" className="flex flex-col gap-0.5">
        {places.map(({ filter, label, Icon }) => (
          <NavItem
            key={filter}
            icon={<Icon />}
            isCurrent={currentFilter === filter}
            onSelect={() => {
              openFilter(filter)
              onSelect?.()
            }}
          >
            {label}
          </NavItem>
        ))}
      </nav>
      <section aria-labelledby="sidebar-collections">
        <div className="flex items-center justify-between px-2.5 pb-0.5 font-medium text-faint text-xs">
          <h2 id="sidebar-collections">
            Collections {/* The list scrolls; the number says how much of it there is. */}
            {collections && collections.length > 0 && (
              <span className="figures ml-1">{collections.length.toLocaleString('en')}</span>
            )}
          </h2>
          <NewCollection onSelect={onSelect} />
        </div>
        <CollectionList onSelect={onSelect} />
      </section>
      <nav aria-label="Tools" className="mt-auto flex flex-col gap-0.5">
        {tools.map(({ label, Icon, address, isCurrent, count }) => (
          <NavItem
            key={address}
            icon={<Icon />}
            isCurrent={isCurrent}
            count={count}
            onSelect={() => {
              navigate(address)
              onSelect?.()
            }}
          >
            {label}
          </NavItem>
        ))}
      </nav>
      <StorageMeter />
    </div>
  )
}
