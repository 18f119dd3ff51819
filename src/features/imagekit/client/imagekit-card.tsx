import { useQuery } from '@tanstack/react-query'
import { failureReason } from '#platform/client/call.ts'
import { countOf } from '#shared/count.ts'
import { Card } from '#ui/card.tsx'
import { LoadFailure } from '#ui/load-failure.tsx'
import { Progress } from '#ui/progress.tsx'
import type { ImageKitMigration } from '../contract.ts'
import { MigrationActions } from './migration-actions.tsx'
import { migrationProgress } from './migration-progress.ts'
import { imageKitQueries } from './queries.ts'

/** Where the files are stored: locally, at ImageKit, or both. */
export function ImageKitCard() {
  const { data, error, refetch } = useQuery(imageKitQueries.state())
  if (!data) {
    return error ? (
      <Card title="ImageKit">
        <LoadFailure what="file status" why={failureReason(error)} onRetry={() => void refetch()} />
      </Card>
    ) : null
  }
  return (
    <Card
      title="ImageKit"
      description={
        data.isConfigured
          ? 'Files are stored as private files, and each is verified. Public items get a public copy without location or camera data.'
          : 'Set IMAGEKIT_PRIVATE_KEY and IMAGEKIT_URL_ENDPOINT before starting the server to store files at ImageKit.'
      }
    >
      {data.isConfigured && (
        <div className="flex flex-col gap-4">
          <State state={data} />
          <MigrationActions state={data} />
        </div>
      )}
    </Card>
  )
}

const count = (value: number) => value.toLocaleString('en')

function State({ state }: { state: ImageKitMigration }) {
  const { files, onlyThere, errors } = state
  return (
    <>
      <Progress {...migrationProgress(state)} />
      {onlyThere > 0 && (
        <p className="text-muted text-sm">
          {count(onlyThere)} of {countOf(files, 'file')} kept at ImageKit only and loaded from there.
        </p>
      )}
      {errors.length > 0 && (
        <ul aria-label="Errors" className="wrap-anywhere text-danger text-sm">
          {errors.map((error) => (
            <li key={error}>{error}</li>
          ))}
        </ul>
      )}
    </>
  )
}
