import { classNames } from '#ui/class-names.ts'
import { Spinner } from '#ui/spinner.tsx'

export function ScreenLoading({ className = 'min-h-dvh' }: { className?: string }) {
  return (
    <div className={classNames('grid place-items-center text-muted', className)}>
      <Spinner label="Loading" className="flex-col [&_svg]:size-6" />
    </div>
  )
}
