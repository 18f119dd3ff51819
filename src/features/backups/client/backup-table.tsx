import Download from 'lucide-react/icons/download'
import RotateCcw from 'lucide-react/icons/rotate-ccw'
import Trash2 from 'lucide-react/icons/trash-2'
import { formatBytes } from '#shared/bytes.ts'
import { countOf } from '#shared/count.ts'
import { Status } from '#ui/badge.tsx'
import { IconButton } from '#ui/icon-button.tsx'
import { ActionCell, Cell, Head, Row, Table } from '#ui/table.tsx'
import { type Backup, backupsApi } from '../contract.ts'
import { ago, backupTime } from './backup-words.ts'

type BackupTableProps = { backups: Backup[]; onRestore: (backup: Backup) => void; onDelete: (backup: Backup) => void }

const columns = [
  { label: 'Made' },
  { label: 'State' },
  { label: 'Size', isNumeric: true },
  { label: 'Media', isNumeric: true },
  { label: 'Collections', isNumeric: true },
  { label: 'Users', isNumeric: true },
  { label: 'Actions', isHidden: true },
]

export function BackupTable({ backups, onRestore, onDelete }: BackupTableProps) {
  const automaticCount = backups.filter(({ type }) => type === 'automatic').length
  return (
    <Table label="Backups" className="relative">
      <Head columns={columns} />
      <tbody>
        {backups.map((backup) => (
          <Row key={backup.id}>
            <Cell className="whitespace-nowrap">
              <div id={`backup-${backup.id}`}>{backupTime(backup.timestamp)}</div>
              <div className="max-w-64 whitespace-normal text-muted text-xs">
                {backup.note ?? (backup.type === 'automatic' ? 'Automatic' : 'Manual')}
              </div>
            </Cell>
            <Cell>
              <BackupState backup={backup} />
            </Cell>
            <Cell isNumeric>
              <div>{formatBytes(backup.size, { smallestUnit: 'Bytes' })}</div>
              <div className="text-muted text-xs">+{formatBytes(backup.newBytes, { smallestUnit: 'Bytes' })} new</div>
            </Cell>
            <Cell isNumeric>{backup.mediaCount.toLocaleString('en')}</Cell>
            <Cell isNumeric>{backup.collectionCount.toLocaleString('en')}</Cell>
            <Cell isNumeric>{backup.userCount.toLocaleString('en')}</Cell>
            <ActionCell>
              <div className="flex justify-end gap-1">
                <IconButton
                  label="Download"
                  aria-describedby={`backup-${backup.id}`}
                  icon={<Download />}
                  size="sm"
                  onClick={() => download(backup)}
                />
                <IconButton
                  label="Restore"
                  aria-describedby={`backup-${backup.id}`}
                  icon={<RotateCcw />}
                  size="sm"
                  onClick={() => onRestore(backup)}
                />
                <IconButton
                  label="Delete"
                  aria-describedby={`backup-${backup.id}`}
                  icon={<Trash2 />}
                  size="sm"
                  disabled={backup.type === 'automatic' && automaticCount === 1}
                  onClick={() => onDelete(backup)}
                />
              </div>
            </ActionCell>
          </Row>
        ))}
      </tbody>
    </Table>
  )
}

function download({ id }: Backup) {
  window.open(backupsApi.download.path.replace(':id', id), '_blank')
}

function BackupState({ backup }: { backup: Backup }) {
  const { missingCount, provenAt, verifiedAt } = backup
  return (
    <div className="flex flex-col">
      {missingCount > 0 && <Status tone="danger">{countOf(missingCount, 'file was', 'files were')} missing</Status>}
      {provenAt ? (
        <Status tone="success">Proven restorable {ago(provenAt)}</Status>
      ) : (
        <Status tone="info">Verified {ago(verifiedAt)}</Status>
      )}
    </div>
  )
}
