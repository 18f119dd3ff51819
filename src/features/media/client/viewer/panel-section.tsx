import { type ReactNode, useId } from 'react'

type PanelSectionProps = { title: string; action?: ReactNode; children: ReactNode }

/** A section of the panel with a title. */
export function PanelSection({ title, action, children }: PanelSectionProps) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="border-line border-t px-5 py-4">
      <div className="mb-2 flex min-h-7 items-center justify-between gap-2">
        <h3 id={id} className="font-medium text-faint text-xs">
          {title}
        </h3>
        {action}
      </div>
      {children}
    </section>
  )
}
