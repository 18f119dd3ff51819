import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '#ui/button.tsx'
import { Card } from '#ui/card.tsx'
import { ConfirmDialog } from '#ui/layers/confirm-dialog.tsx'
import type { ImageKitMigration } from '../contract.ts'
import { useFreeLocal, useIsMoving } from './mutations.ts'
import { imageKitQueries } from './queries.ts'

/** Placed at the end of the page, away from the harmless actions of the migration. */
export function RemoveHereCard() {
  const { data } = useQuery(imageKitQueries.state())
  return data?.isConfigured && data.files > data.onlyThere ? <RemoveHere state={data} /> : null
}

function RemoveHere({ state }: { state: ImageKitMigration }) {
  const freeLocal = useFreeLocal()
  const isMoving = useIsMoving(state)
  const [isAsking, setIsAsking] = useState(false)
  const close = () => setIsAsking(false)
  return (
    <Card
      tone="danger"
      title="Local copies of files at ImageKit"
      description="Removing them frees disk space, except for files that backups on the same disk use. The items are then shown from ImageKit."
    >
      <Button variant="secondary-danger" isInactive={isMoving} onClick={() => setIsAsking(true)}>
        Remove local copies
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={close}
        title="Remove the local copies?"
        description="Each file at ImageKit is verified first. The items are then shown from ImageKit and cannot be opened while it is unavailable. You can move all files back."
        confirmLabel="Remove local copies"
        onConfirm={() => {
          close()
          freeLocal.mutate()
        }}
      />
    </Card>
  )
}
