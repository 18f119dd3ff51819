import { useQuery } from '@tanstack/react-query'
import Download from 'lucide-react/icons/download'
import Upload from 'lucide-react/icons/upload'
import { useState } from 'react'
import { bytesInWords } from '#shared/bytes.ts'
import { Button } from '#ui/button.tsx'
import { Card } from '#ui/card.tsx'
import { Progress } from '#ui/progress.tsx'
import { type UploadAll, useDownloadAll } from './mutations.ts'
import { PickFile } from './pick-file.tsx'
import { backupQueries } from './queries.ts'
import { ReplaceDialog } from './replace-dialog.tsx'

/** Downloads the whole library as one file, or restores it from one. */
export function CompleteBackupCard({ upload }: { upload: UploadAll }) {
  const download = useDownloadAll()
  const [chosen, setChosen] = useState<File>()
  return (
    <>
      <Card title="Complete backup" description="The whole library as one ZIP file, to store elsewhere or to move.">
        <Button icon={<Download />} isPending={download.isPending} onClick={() => download.mutate()}>
          Download complete backup
        </Button>
      </Card>
      <Card
        tone="danger"
        title="Restore from a file"
        description="Replaces everything in this library with the contents of a ZIP file. A backup is created first."
      >
        <PickFile
          accept=".zip"
          refusal="Please choose a .zip file."
          icon={<Upload />}
          isPending={upload.isPending}
          onPick={setChosen}
        >
          Restore complete backup
        </PickFile>
      </Card>
      {chosen && (
        <ReplaceDialog
          file={chosen}
          title="Replace the whole library?"
          description={`Everything in this library is replaced with "${chosen.name}" (${bytesInWords(chosen.size)}). Everyone else is signed out.`}
          isPending={upload.isPending}
          samples={upload.samples}
          onConfirm={() => upload.mutate(chosen, { onSettled: () => setChosen(undefined) })}
          onClose={() => setChosen(undefined)}
        >
          <RestoreProgress />
        </ReplaceDialog>
      )}
    </>
  )
}

function RestoreProgress() {
  const { data } = useQuery(backupQueries.progress())
  if (!data?.isRestoring) return <Progress label="Checking the backup" value={null} />
  return <Progress label={data.message} value={data.progress} detail={`${Math.round(data.progress)}%`} />
}
