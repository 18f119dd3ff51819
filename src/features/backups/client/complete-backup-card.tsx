import Download from 'lucide-react/icons/download'
import Upload from 'lucide-react/icons/upload'
import { useState } from 'react'
import { formatBytes } from '#shared/bytes.ts'
import { Button } from '#ui/button.tsx'
import { Card } from '#ui/card.tsx'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'
import { useDownloadAll, useUploadAll } from './mutations.ts'
import { PickFile } from './pick-file.tsx'

/** The whole library as one file, to take elsewhere and to bring back. */
export function CompleteBackupCard() {
  const download = useDownloadAll()
  const upload = useUploadAll()
  const [chosen, setChosen] = useState<File>()
  return (
    <>
      <Card title="Complete backup" description="The whole library in one ZIP file, to keep elsewhere or to move.">
        <Button icon={<Download />} isPending={download.isPending} onClick={() => download.mutate()}>
          Download complete backup
        </Button>
      </Card>
      <Card
        tone="danger"
        title="Restore from a file"
        description="Replaces everything in this library by what is in the ZIP file. A backup is made before."
      >
        <PickFile
          accept=".zip"
          refusal="A backup to restore is a .zip file."
          icon={<Upload />}
          isPending={upload.isPending}
          onPick={setChosen}
        >
          Restore complete backup
        </PickFile>
      </Card>
      {chosen && (
        <ConfirmDialog
          isOpen
          onOpenChange={(isOpen) => !isOpen && setChosen(undefined)}
          title="Replace the whole library?"
          description={`Everything in this library is replaced by "${chosen.name}" (${formatBytes(chosen.size, { smallestUnit: 'Bytes' })}). Other people are signed out.`}
          confirmLabel="Replace everything"
          isPending={upload.isPending}
          onConfirm={() => upload.mutate(chosen, { onSettled: () => setChosen(undefined) })}
        />
      )}
    </>
  )
}
