import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '#ui/button.tsx'
import { Card } from '#ui/card.tsx'
import { ConfirmDialog } from '#ui/layers/confirm-dialog.tsx'
import type { ImageKitMigration } from '../contract.ts'
import { useFreeLocal, useIsMoving } from './mutations.ts'
import { imageKitQueries } from './queries.ts'

/** Stands apart from the harmless half of the migration, at the end of the page. */
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
      title="Files here that ImageKit keeps too"
      description="Removing them gives their room back, but for what backups on the same disk hold; from then on they are shown from ImageKit."
    >
      <Button variant="secondary-danger" isInactive={isMoving} onClick={() => setIsAsking(true)}>
        Remove the files here
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={close}
        title="Remove the files here that ImageKit keeps?"
        description="Each one is read there once more before it goes here. Items stay as they are and are shown from ImageKit, so they cannot be opened while it is away. You can bring everything back."
        confirmLabel="Remove the files here"
        onConfirm={() => {
          close()
          freeLocal.mutate()
        }}
      />
    </Card>
  )
}
