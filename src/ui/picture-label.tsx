import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

type PictureLabelProps = { title?: string; className?: string; children: ReactNode }

/** A label on an image: light on a dark scrim in both themes. */
export function PictureLabel({ title, className, children }: PictureLabelProps) {
  return (
    <span
      title={title}
      className={classNames(
        'inline-flex h-5 max-w-full items-center gap-1 truncate rounded-sm bg-scrim px-1.5',
        'font-medium text-on-scrim text-xs [&>.lucide]:size-3',
        className,
      )}
    >
      {children}
    </span>
  )
}
