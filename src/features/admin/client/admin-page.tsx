import Archive from 'lucide-react/icons/archive'
import ChartLine from 'lucide-react/icons/chart-line'
import Cpu from 'lucide-react/icons/cpu'
import Database from 'lucide-react/icons/database'
import Users from 'lucide-react/icons/users'
import { useSearchParams } from 'wouter'
import { BackupsTab } from '#features/backups/client/backups-tab.tsx'
import { version } from '#shared/version.ts'
import { Badge } from '#ui/badge.tsx'
import { Tab, TabList, TabPanel, Tabs } from '#ui/tabs.tsx'
import { DatabaseTab } from './database-tab.tsx'
import { OverviewTab } from './overview-tab.tsx'
import { SystemTab } from './system-tab.tsx'
import { UsersTab } from './users-tab.tsx'

const tabs = [
  { value: 'overview', label: 'Overview', icon: <ChartLine aria-hidden="true" />, panel: <OverviewTab /> },
  { value: 'database', label: 'Database', icon: <Database aria-hidden="true" />, panel: <DatabaseTab /> },
  { value: 'backups', label: 'Backups', icon: <Archive aria-hidden="true" />, panel: <BackupsTab /> },
  { value: 'users', label: 'Users', icon: <Users aria-hidden="true" />, panel: <UsersTab /> },
  { value: 'system', label: 'System', icon: <Cpu aria-hidden="true" />, panel: <SystemTab /> },
]

export function AdminPage() {
  const [search, setSearch] = useSearchParams()
  const wanted = search.get('tab')
  const tab = tabs.some(({ value }) => value === wanted) ? wanted! : 'overview'
  return (
    <div className="mx-auto flex max-w-300 flex-col gap-4 p-4 sm:p-6">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h1 className="font-semibold text-xl">Admin Panel</h1>
        <Badge>Version {version}</Badge>
        <Badge tone="success">Production</Badge>
      </header>
      <Tabs value={tab} onValueChange={(value) => setSearch({ tab: value }, { replace: true })}>
        <TabList label="Admin panel">
          {tabs.map(({ value, label, icon }) => (
            <Tab key={value} value={value} icon={icon}>
              {label}
            </Tab>
          ))}
        </TabList>
        {tabs.map(({ value, panel }) => (
          <TabPanel key={value} value={value} className="pt-5">
            {panel}
          </TabPanel>
        ))}
      </Tabs>
    </div>
  )
}
