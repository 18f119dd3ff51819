import CloudDownload from 'lucide-react/icons/cloud-download'
import CloudUpload from 'lucide-react/icons/cloud-upload'
import { useState } from 'react'
import { Button } from '#ui/button.tsx'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'
import type { ImageKitMigration } from '../contract.ts'
import { useComeBack, useFreeLocal, useMigrate, useStopMigration } from './mutations.ts'

/** Copying is harmless and begins at once; what removes anything asks first. */
export function MigrationActions({ state }: { state: ImageKitMigration }) {
  const migrate = useMigrate()
  const freeLocal = useFreeLocal()
  const comeBack = useComeBack()
  const stop = useStopMigration()
  const [question, setQuestion] = useState<'free' | 'back' | null>(null)
  const isRunning = state.isRunning || migrate.isPending || freeLocal.isPending || comeBack.isPending
  const close = () => setQuestion(null)

  if (isRunning) {
    return (
      <Button className="self-start" isPending={stop.isPending} onClick={() => stop.mutate()}>
        Stop
      </Button>
    )
  }
  return (
    <div className="flex flex-wrap gap-2">
      <Button icon={<CloudUpload />} onClick={() => migrate.mutate()}>
        Migrate to ImageKit
      </Button>
      {state.files > state.onlyThere && (
        <Button variant="quiet" onClick={() => setQuestion('free')}>
          Remove the files here
        </Button>
      )}
      {state.files > 0 && (
        <Button variant="quiet" icon={<CloudDownload />} onClick={() => setQuestion('back')}>
          Bring everything back
        </Button>
      )}
      <ConfirmDialog
        isOpen={question === 'free'}
        onClose={close}
        title="Remove the files here that ImageKit keeps?"
        description="Each one is read there once more before it goes here. Items stay as they are and are shown from ImageKit, so they cannot be opened while it is away. You can bring everything back."
        confirmLabel="Remove the files here"
        onConfirm={() => {
          close()
          freeLocal.mutate()
        }}
      />
      <ConfirmDialog
        isOpen={question === 'back'}
        onClose={close}
        title="Bring everything back from ImageKit?"
        description="Each file is here and compared before it is removed there. The addresses at ImageKit stop working."
        confirmLabel="Bring everything back"
        tone="neutral"
        onConfirm={() => {
          close()
          comeBack.mutate()
        }}
      />
    </div>
  )
}
