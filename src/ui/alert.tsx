import CircleAlert from 'lucide-react/icons/circle-alert'
import Info from 'lucide-react/icons/info'
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

type AlertTone = 'danger' | 'info'

const tones = {
  danger: { Icon: CircleAlert, box: 'border-danger/30 bg-danger/10', icon: 'text-danger' },
  info: { Icon: Info, box: 'border-info/30 bg-info/10', icon: 'text-info' },
}

type AlertProps = {
  tone?: AlertTone
  title?: ReactNode
  /** A button, such as Try again. */
  action?: ReactNode
  className?: string
  children?: ReactNode
}

/** A message that stays in the page. Screen readers announce "danger" immediately and "info" when idle. */
export function Alert({ tone = 'danger', title, action, className, children }: AlertProps) {
  const { Icon, box, icon } = tones[tone]
  return (
    <div
      role={tone === 'danger' ? 'alert' : 'status'}
      className={classNames('flex items-start gap-2.5 rounded-md border px-3.5 py-3', box, className)}
    >
      <Icon aria-hidden="true" className={classNames('mt-0.5', icon)} />
      <div className="min-w-0 grow">
        {title && <p className="font-medium">{title}</p>}
        {children && (
          <div className={classNames('wrap-anywhere text-pretty', Boolean(title) && 'text-muted text-sm')}>
            {children}
          </div>
        )}
      </div>
      {action && <div className="-my-0.5 shrink-0">{action}</div>}
    </div>
  )
}
