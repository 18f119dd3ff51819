import { classNames } from '#ui/class-names.ts'

const steps = [
  { title: 'Find images', text: 'Every image on the page, at the largest available size.' },
  { title: 'AI names them', text: 'Captions, headings and file names become short, readable names.' },
  { title: 'Preview and select', text: 'Review the results and choose the ones you want.' },
  { title: 'Upload selected', text: 'Selected images are added to your media library.' },
]

/** `stepsBack`: something stands below, which matters more; a phone has no room for it beside that. */
export function HowItWorks({ stepsBack }: { stepsBack: boolean }) {
  return (
    <ol
      aria-label="How it works"
      className={classNames(
        'grid gap-x-6 gap-y-4 border-line border-t sm:grid-cols-2 xl:grid-cols-4',
        stepsBack ? 'mt-4 pt-4 max-sm:hidden' : 'mt-5 pt-5',
      )}
    >
      {steps.map(({ title, text }, index) => (
        <li key={title} className={classNames('flex gap-3', stepsBack && 'items-center')}>
          <span
            aria-hidden="true"
            className="figures grid size-6 shrink-0 place-items-center rounded-full border border-line-strong font-medium text-muted text-xs"
          >
            {index + 1}
          </span>
          <div>
            <p className={stepsBack ? 'text-muted text-sm' : 'font-medium'}>{title}</p>
            {!stepsBack && <p className="text-pretty text-muted text-sm">{text}</p>}
          </div>
        </li>
      ))}
    </ol>
  )
}
