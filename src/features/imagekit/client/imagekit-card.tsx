import { useQuery } from '@tanstack/react-query'
import CloudUpload from 'lucide-react/icons/cloud-upload'
import { useState } from 'react'
import { Button } from '#ui/button.tsx'
import { Card } from '#ui/card.tsx'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'
import { Progress } from '#ui/progress.tsx'
import type { ImageKitMigration } from '../contract.ts'
import { imageKitQueries, useComeBack, useMigrate, useStopMigration } from './queries.ts'

/** Verified copies at ImageKit; the files here stay where they are. */
export function ImageKitCard() {
  const { data } = useQuery(imageKitQueries.state())
  if (!data) return null
  return (
    <Card
      title="ImageKit"
      description={
        data.isConfigured
          ? 'Copies every file, reads the copy again and compares it. What is not public becomes a private file.'
          : 'Set IMAGEKIT_PRIVATE_KEY and IMAGEKIT_URL_ENDPOINT to keep copies of the files at ImageKit.'
      }
    >
      {data.isConfigured && <Migration state={data} />}
    </Card>
  )
}

function Migration({ state }: { state: ImageKitMigration }) {
  const migrate = useMigrate()
  const stop = useStopMigration()
  const comeBack = useComeBack()
  const [isAsking, setIsAsking] = useState(false)
  const isRunning = state.isRunning || migrate.isPending
  return (
    <div className="flex flex-col gap-4">
      <Progress
        label={isRunning ? 'Copying the files' : 'Files with a verified copy'}
        value={(100 * state.copies) / Math.max(1, state.total)}
        detail={`${state.copies.toLocaleString('en')} of ${state.total.toLocaleString('en')}`}
      />
      {state.errors.length > 0 && (
        <ul className="wrap-anywhere text-danger text-sm">
          {state.errors.map((error) => (
            <li key={error}>{error}</li>
          ))}
        </ul>
      )}
      <div className="flex flex-wrap gap-2">
        {isRunning ? (
          <Button isPending={stop.isPending} onClick={() => stop.mutate()}>
            Stop
          </Button>
        ) : (
          <Button icon={<CloudUpload />} onClick={() => migrate.mutate()}>
            Migrate to ImageKit
          </Button>
        )}
        {state.copies > 0 && !isRunning && (
          <Button variant="quiet" isPending={comeBack.isPending} onClick={() => setIsAsking(true)}>
            Remove the copies
          </Button>
        )}
      </div>
      <ConfirmDialog
        isOpen={isAsking}
        onOpenChange={setIsAsking}
        title="Remove the copies at ImageKit?"
        description="Their addresses there stop working. The files here are checked first and stay."
        confirmLabel="Remove the copies"
        isPending={comeBack.isPending}
        onConfirm={() => comeBack.mutate(undefined, { onSettled: () => setIsAsking(false) })}
      />
    </div>
  )
}
