import CloudOff from 'lucide-react/icons/cloud-off'
import { useConnection } from '../connection.ts'

const words = {
  offline: "You're offline. The page tries again when the connection is back.",
  unreachable: "Can't reach the server. The page keeps trying.",
}

/** Shown while disconnected. It floats above the page, so that nothing moves when it appears. */
export function ConnectionBar() {
  const connection = useConnection()
  return (
    <div role="status" className="pointer-events-none fixed inset-x-0 top-16 z-50 flex justify-center px-3">
      {connection !== 'connected' && (
        <p className="flex items-center gap-2 rounded-md bg-overlay px-3.5 py-2 text-sm shadow-float motion-safe:animate-fade-in">
          <CloudOff aria-hidden="true" className="shrink-0 text-muted" />
          {words[connection]}
        </p>
      )}
    </div>
  )
}
