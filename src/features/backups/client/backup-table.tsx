import Download from 'lucide-react/icons/download'
import RotateCcw from 'lucide-react/icons/rotate-ccw'
import Shredder from 'lucide-react/icons/shredder'
import { urlOf } from '#platform/url-of.ts'
import { bytesInWords } from '#shared/bytes.ts'
import { countOf } from '#shared/count.ts'
import { joinUnbroken } from '#shared/join-unbroken.ts'
import { Status } from '#ui/badge.tsx'
import { IconButton } from '#ui/icon-button.tsx'
import { ActionCell, Cell, Head, Row, RowHead, Table } from '#ui/table.tsx'
import { useIsTableNarrow } from '#ui/use-media-query.ts'
import type { Backup, backupsApi } from '../contract.ts'
import { ago, backupTime } from './backup-times.ts'

type BackupTableProps = { backups: Backup[]; onRestore: (backup: Backup) => void; onDelete: (backup: Backup) => void }

const made = { label: 'Created' }
const facts = [
  { label: 'Status' },
  { label: 'Size', isNumeric: true },
  { label: 'Media', isNumeric: true },
  { label: 'Collections', isNumeric: true },
  { label: 'Users', isNumeric: true },
]
const actions = { label: 'Actions', isHidden: true }

export function BackupTable({ backups, onRestore, onDelete }: BackupTableProps) {
  // In a narrow table the facts of the hidden columns are below the time.
  const isNarrow = useIsTableNarrow()
  const automaticCount = backups.filter(({ type }) => type === 'automatic').length
  return (
    <Table label="Backups" className="relative">
      <Head columns={isNarrow ? [made, actions] : [made, ...facts, actions]} />
      <tbody>
        {backups.map((backup) => (
          <Row key={backup.id}>
            <RowHead>
              <div id={`backup-${backup.id}`} className="whitespace-nowrap">
                {backupTime(backup.timestamp)}
              </div>
              <div className="max-w-64 text-muted text-xs">
                {backup.note ?? (backup.type === 'automatic' ? 'Automatic' : 'Manual')}
              </div>
              {isNarrow && <FactLines backup={backup} />}
            </RowHead>
            {!isNarrow && <FactCells backup={backup} />}
            <ActionCell className="w-0">
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
                  icon={<Shredder />}
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
  window.open(urlOf<typeof backupsApi.download>('/api/admin/backups/:id/download', { id }), '_blank')
}

function FactCells({ backup }: { backup: Backup }) {
  return (
    <>
      <Cell>
        <BackupState backup={backup} />
      </Cell>
      <Cell isNumeric>
        <div>{bytesInWords(backup.size)}</div>
        <div className="text-muted text-xs">+{bytesInWords(backup.newBytes)} new</div>
      </Cell>
      <Cell isNumeric>{backup.mediaCount.toLocaleString('en')}</Cell>
      <Cell isNumeric>{backup.collectionCount.toLocaleString('en')}</Cell>
      <Cell isNumeric>{backup.userCount.toLocaleString('en')}</Cell>
    </>
  )
}

function FactLines({ backup }: { backup: Backup }) {
  const { size, newBytes, mediaCount, collectionCount, userCount } = backup
  const counts = [countOf(mediaCount, 'item'), countOf(collectionCount, 'collection'), countOf(userCount, 'user')]
  return (
    <div className="figures text-muted text-xs">
      <div className="text-ink *:*:whitespace-normal">
        <BackupState backup={backup} />
      </div>
      <div>
        {bytesInWords(size)}, +{bytesInWords(newBytes)} new
      </div>
      <div>{joinUnbroken(counts)}</div>
    </div>
  )
}

function BackupState({ backup }: { backup: Backup }) {
  const { missingCount, provenAt, verifiedAt } = backup
  return (
    <div className="flex flex-col">
      {missingCount > 0 && <Status tone="danger">{countOf(missingCount, 'file was', 'files were')} missing</Status>}
      {provenAt ? (
        <Status tone="success">Restore tested {ago(provenAt)}</Status>
      ) : (
        <Status tone="info">Verified {ago(verifiedAt)}</Status>
      )}
    </div>
  )
}
