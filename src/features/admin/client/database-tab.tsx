import Download from 'lucide-react/icons/download'
import Table2 from 'lucide-react/icons/table-2'
import Upload from 'lucide-react/icons/upload'
import { useState } from 'react'
import { Link } from 'wouter'
import { PickFile } from '#features/backups/client/pick-file.tsx'
import { ReplaceDialog } from '#features/backups/client/replace-dialog.tsx'
import { Button } from '#ui/button.tsx'
import { buttonClasses } from '#ui/button-classes.ts'
import { Card } from '#ui/card.tsx'
import { Progress } from '#ui/progress.tsx'
import { useDownloadDatabase, useUploadDatabase } from './mutations.ts'
import { ResetDialog } from './reset-dialog.tsx'

export function DatabaseTab() {
  const download = useDownloadDatabase()
  const upload = useUploadDatabase()
  const [chosen, setChosen] = useState<File>()
  const [isResetting, setIsResetting] = useState(false)
  return (
    <div className="flex flex-col gap-4">
      <Card
        title="Download the database"
        description="All rows as one JSON file: users with their password hashes, media, tags, collections. Not the files themselves."
      >
        <div className="flex flex-wrap gap-2">
          <Button icon={<Download />} isPending={download.isPending} onClick={() => download.mutate()}>
            Download database
          </Button>
          <Link href="/database" className={buttonClasses({ variant: 'quiet' })}>
            <Table2 aria-hidden="true" />
            Database Viewer
          </Link>
        </div>
      </Card>
      <Card
        tone="danger"
        title="Upload a database"
        description="Replaces all rows by those of a JSON file. It is read to its end first, and refused whole if a line is wrong. No backup is made before: make one first."
      >
        <PickFile
          accept=".json"
          refusal="A database to upload is a .json file."
          icon={<Upload />}
          isPending={upload.isPending}
          onPick={setChosen}
        >
          Upload database
        </PickFile>
      </Card>
      <Card
        tone="danger"
        title="Reset the database"
        description="Deletes all users, media and collections for good. Your own account and the backups stay; no new backup is made before."
      >
        <Button variant="secondary-danger" onClick={() => setIsResetting(true)}>
          Reset database
        </Button>
      </Card>
      {chosen && (
        <ReplaceDialog
          file={chosen}
          title="Replace all rows?"
          description={`Users, media and collections are replaced by those in "${chosen.name}". Other people are signed out.`}
          isPending={upload.isPending}
          samples={upload.samples}
          onConfirm={() => upload.mutate(chosen, { onSettled: () => setChosen(undefined) })}
          onClose={() => setChosen(undefined)}
        >
          <Progress label="Reading the file to its end, then replacing the rows" value={null} />
        </ReplaceDialog>
      )}
      {isResetting && <ResetDialog onClose={() => setIsResetting(false)} />}
    </div>
  )
}
