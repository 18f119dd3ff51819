import FileType from 'lucide-react/icons/file-type'
import FolderClosed from 'lucide-react/icons/folder-closed'
import Image from 'lucide-react/icons/image'
import Users from 'lucide-react/icons/users'
import { countOf } from '#shared/count.ts'
import { FigureCard } from '#ui/card.tsx'
import type { DatabaseStats } from '../contract.ts'
import { size } from './formats.ts'

export function OverviewCards({ stats }: { stats: DatabaseStats }) {
  return (
    <div className="grid grid-cols-1 gap-3 min-[20rem]:grid-cols-2 xl:grid-cols-4">
      <FigureCard
        label="Total Media Files"
        icon={<Image aria-hidden="true" />}
        value={stats.mediaCount}
        detail={size(stats.totalSize)}
      />
      <FigureCard
        label="Total Users"
        icon={<Users aria-hidden="true" />}
        value={stats.userCount}
        detail={countOf(stats.adminCount, 'admin')}
      />
      <FigureCard
        label="Collections"
        icon={<FolderClosed aria-hidden="true" />}
        value={stats.collectionCount}
        detail={`${stats.publicCollectionCount.toLocaleString('en')} public`}
      />
      <FigureCard
        label="File Types"
        icon={<FileType aria-hidden="true" />}
        value={stats.fileTypes.length}
        detail={<FileTypes types={stats.fileTypes} />}
      />
    </div>
  )
}

function FileTypes({ types }: { types: DatabaseStats['fileTypes'] }) {
  if (types.length === 0) return 'No files yet'
  return (
    <ul className="flex flex-col gap-0.5">
      {types.map(({ type, count }) => (
        <li key={type} className="flex justify-between gap-4">
          <span className="truncate">{type}</span>
          <span>{count.toLocaleString('en')}</span>
        </li>
      ))}
    </ul>
  )
}
