import CloudOff from 'lucide-react/icons/cloud-off'
import { classNames } from '#ui/class-names.ts'
import { useConnection } from '../connection.ts'

const words = {
  offline: "You're offline. This page updates when you reconnect.",
  unreachable: "Can't reach the server. Retrying…",
}

/**
 * Shown while disconnected. It floats above the page, so that nothing moves when it appears. On a phone it is at the bottom,
 * because at the top it would cover the tabs and buttons.
 */
export function ConnectionBar() {
  const connection = useConnection()
  return (
    <div
      role="status"
      className={classNames(
        'pointer-events-none fixed inset-x-0 z-50 flex justify-center px-3 sm:top-16',
        'max-sm:bottom-[max(0.75rem,env(safe-area-inset-bottom))] max-sm:in-[body:has([data-bar-below])]:bottom-30',
      )}
    >
      {connection !== 'connected' && (
        <p className="flex items-center gap-2 rounded-md bg-overlay px-3.5 py-2 text-sm shadow-float motion-safe:animate-fade-in">
          <CloudOff aria-hidden="true" className="shrink-0 text-muted" />
          {words[connection]}
        </p>
      )}
    </div>
  )
}
