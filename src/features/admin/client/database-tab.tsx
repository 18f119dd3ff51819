import Download from 'lucide-react/icons/download'
import Table2 from 'lucide-react/icons/table-2'
import Upload from 'lucide-react/icons/upload'
import { type FormEvent, useState } from 'react'
import { Link } from 'wouter'
import { PickFile } from '#features/backups/client/pick-file.tsx'
import { ReplaceDialog } from '#features/backups/client/replace-dialog.tsx'
import { Button } from '#ui/button.tsx'
import { buttonClasses } from '#ui/button-classes.ts'
import { Card } from '#ui/card.tsx'
import { Field } from '#ui/forms/field.tsx'
import { Input } from '#ui/forms/input.tsx'
import { Dialog } from '#ui/layers/dialog.tsx'
import { Progress } from '#ui/progress.tsx'
import { useDownloadDatabase, useResetDatabase, useUploadDatabase } from './mutations.ts'

export function DatabaseTab() {
  const download = useDownloadDatabase()
  const upload = useUploadDatabase()
  const [chosen, setChosen] = useState<File>()
  const [isResetting, setIsResetting] = useState(false)
  return (
    <div className="flex flex-col gap-4">
      <Card
        title="Download the database"
        description="All rows as one JSON file: users with their password hashes, media, tags and collections. Files are not included."
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
        description="Replaces all rows with those of a JSON file. The file is validated first and rejected if any row is invalid. Create a backup first."
      >
        <PickFile
          accept=".json"
          refusal="Please choose a .json file."
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
        description="Permanently deletes all users, media and collections. Your account and the backups are kept. Create a backup first."
      >
        <Button variant="secondary-danger" onClick={() => setIsResetting(true)}>
          Reset database
        </Button>
      </Card>
      {chosen && (
        <ReplaceDialog
          file={chosen}
          title="Replace all rows?"
          description={`Users, media and collections are replaced with those in "${chosen.name}". Everyone else is signed out.`}
          isPending={upload.isPending}
          samples={upload.samples}
          onConfirm={() => upload.mutate(chosen, { onSettled: () => setChosen(undefined) })}
          onClose={() => setChosen(undefined)}
        >
          <Progress label="Validating the file, then replacing the rows" value={null} />
        </ReplaceDialog>
      )}
      {isResetting && <ResetDialog onClose={() => setIsResetting(false)} />}
    </div>
  )
}

const word = 'RESET'

/** A reset cannot be undone, so the user types a confirmation. */
function ResetDialog({ onClose }: { onClose: () => void }) {
  const [typed, setTyped] = useState('')
  const reset = useResetDatabase()
  const isConfirmed = typed.trim() === word
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isConfirmed) reset.mutate(undefined, { onSettled: onClose })
  }
  return (
    <Dialog
      onClose={onClose}
      isLocked={reset.isPending}
      role="alertdialog"
      size="sm"
      title="Reset the database?"
      description="All users, media and collections are permanently deleted. Your account and the backups are kept."
      onSubmit={submit}
      footer={
        <>
          <Button disabled={reset.isPending} onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" variant="danger" disabled={!isConfirmed} isPending={reset.isPending}>
            Delete everything
          </Button>
        </>
      }
    >
      <Field label={`Type ${word} to confirm`}>
        <Input value={typed} autoComplete="off" spellCheck={false} onChange={(event) => setTyped(event.target.value)} />
      </Field>
    </Dialog>
  )
}
