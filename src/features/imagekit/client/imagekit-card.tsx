import { useQuery } from '@tanstack/react-query'
import { failureReason } from '#platform/client/call.ts'
import { Card } from '#ui/card.tsx'
import { LoadFailure } from '#ui/load-failure.tsx'
import { Progress } from '#ui/progress.tsx'
import type { ImageKitMigration } from '../contract.ts'
import { MigrationActions } from './migration-actions.tsx'
import { migrationProgress } from './migration-progress.ts'
import { imageKitQueries } from './queries.ts'

/** Where the files rest: here, at ImageKit, or both. */
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
          ? 'Every file goes there as a private file and is read again and compared. Public items get a copy for anyone, without place or camera in it.'
          : 'Set IMAGEKIT_PRIVATE_KEY and IMAGEKIT_URL_ENDPOINT before the start to keep files at ImageKit.'
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
          {onlyThere === files ? 'All of these files are' : `${count(onlyThere)} of ${count(files)} files are`} kept at
          ImageKit only; they are fetched from there when somebody looks at them.
        </p>
      )}
      {errors.length > 0 && (
        <ul aria-label="What went wrong" className="wrap-anywhere text-danger text-sm">
          {errors.map((error) => (
            <li key={error}>{error}</li>
          ))}
        </ul>
      )}
    </>
  )
}
