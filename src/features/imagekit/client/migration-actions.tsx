import CloudDownload from 'lucide-react/icons/cloud-download'
import CloudUpload from 'lucide-react/icons/cloud-upload'
import { useState } from 'react'
import { Button } from '#ui/button.tsx'
import { ConfirmDialog } from '#ui/layers/confirm-dialog.tsx'
import type { ImageKitMigration } from '../contract.ts'
import { useIsMoving, useMigrate, useMoveBack, useStopMigration } from './mutations.ts'

/**
 * Copying is harmless and starts immediately. Moving files back removes them at ImageKit, so it asks for confirmation first.
 */
export function MigrationActions({ state }: { state: ImageKitMigration }) {
  const migrate = useMigrate()
  const moveBack = useMoveBack()
  const stop = useStopMigration()
  const [isAsking, setIsAsking] = useState(false)
  const close = () => setIsAsking(false)

  if (useIsMoving(state)) {
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
      {state.files > 0 && (
        <Button variant="quiet" icon={<CloudDownload />} onClick={() => setIsAsking(true)}>
          Move all files back
        </Button>
      )}
      <ConfirmDialog
        isOpen={isAsking}
        onClose={close}
        title="Move all files back from ImageKit?"
        description="Each file is verified locally before removal from ImageKit. Its ImageKit URLs stop working."
        confirmLabel="Move all files back"
        tone="neutral"
        onConfirm={() => {
          close()
          moveBack.mutate()
        }}
      />
    </div>
  )
}
