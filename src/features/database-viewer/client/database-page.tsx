import { useQueries } from '@tanstack/react-query'
import FileType from 'lucide-react/icons/file-type'
import FolderClosed from 'lucide-react/icons/folder-closed'
import Image from 'lucide-react/icons/image'
import Users from 'lucide-react/icons/users'
import { useSearchParams } from 'wouter'
import { failureReason } from '#platform/client/call.ts'
import { countOf } from '#shared/count.ts'
import { FigureCard } from '#ui/card.tsx'
import { LoadFailure } from '#ui/load-failure.tsx'
import { Spinner } from '#ui/spinner.tsx'
import { Tab, TabList, TabPanel, Tabs } from '#ui/tabs.tsx'
import type { DatabaseStats } from '../contract.ts'
import { collectionColumns, mediaColumns, relationshipColumns, userColumns } from './columns.tsx'
import { size } from './formats.ts'
import { databaseQueries, firstView } from './queries.ts'
import { RowsTable } from './rows-table.tsx'

const tabNames = ['overview', 'media', 'users', 'collections', 'relationships']

/** Shown when all five data sets are there; each tab then pages through its own. */
export function DatabasePage() {
  const loaded = useQueries({
    queries: [
      databaseQueries.stats(),
      databaseQueries.rows('media', firstView),
      databaseQueries.rows('users', firstView),
      databaseQueries.rows('collections', firstView),
      databaseQueries.rows('relationships', firstView),
    ],
  })
  const [stats] = loaded
  const failed = loaded.filter(({ isError, data }) => isError && !data)
  const isLoading = loaded.some(({ data }) => data === undefined)
  return (
    <div className="mx-auto flex max-w-360 flex-col gap-4 p-4 sm:p-6">
      <header>
        <h1 className="font-semibold text-xl">Database Viewer</h1>
        <p className="text-muted text-sm">Read-only view of the database tables</p>
      </header>
      {failed.length > 0 ? (
        <LoadFailure
          what="the database"
          why={failureReason(failed[0]?.error)}
          onRetry={() => failed.forEach(({ refetch }) => void refetch())}
        />
      ) : isLoading || !stats.data ? (
        <div className="grid min-h-64 place-items-center text-muted">
          <Spinner label="Loading the database" className="flex-col [&_svg]:size-6" />
        </div>
      ) : (
        <DatabaseTabs stats={stats.data} />
      )}
    </div>
  )
}

function DatabaseTabs({ stats }: { stats: DatabaseStats }) {
  const [search, setSearch] = useSearchParams()
  const wanted = search.get('tab') ?? ''
  const tab = tabNames.includes(wanted) ? wanted : 'overview'
  return (
    <Tabs value={tab} onValueChange={(value) => setSearch({ tab: value }, { replace: true })}>
      <TabList label="Data sets">
        <Tab value="overview">Overview</Tab>
        <Tab value="media">Media Files</Tab>
        <Tab value="users">Users</Tab>
        <Tab value="collections">Collections</Tab>
        <Tab value="relationships">Relationships</Tab>
      </TabList>
      <TabPanel value="overview" className="pt-5">
        <OverviewCards stats={stats} />
      </TabPanel>
      <TabPanel value="media" className="pt-5">
        <RowsTable name="media" label="Media files" columns={mediaColumns} hasFixedHeight />
      </TabPanel>
      <TabPanel value="users" className="pt-5">
        <RowsTable name="users" label="Users" columns={userColumns} />
      </TabPanel>
      <TabPanel value="collections" className="pt-5">
        <RowsTable name="collections" label="Collections" columns={collectionColumns} />
      </TabPanel>
      <TabPanel value="relationships" className="pt-5">
        <RowsTable name="relationships" label="Relationships" columns={relationshipColumns} />
      </TabPanel>
    </Tabs>
  )
}

function OverviewCards({ stats }: { stats: DatabaseStats }) {
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
