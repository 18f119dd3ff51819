import { classNames } from '#ui/class-names.ts'

const steps = [
  { title: 'Find images', text: 'The page is read, and every image on it is found in its largest version.' },
  { title: 'AI names them', text: 'Captions, headings and file names become short, readable names.' },
  { title: 'Preview and select', text: 'You see what was found and choose what you want.' },
  { title: 'Upload selected', text: 'Your choice goes to your media library, four images at a time.' },
]

/** `stepsBack`: something stands below that a phone has no room for beside it. */
export function HowItWorks({ stepsBack }: { stepsBack: boolean }) {
  return (
    <ol
      aria-label="How it works"
      className={classNames(
        'mt-5 grid gap-x-6 gap-y-4 border-line border-t pt-5 sm:grid-cols-2 xl:grid-cols-4',
        stepsBack && 'max-sm:hidden',
      )}
    >
      {steps.map(({ title, text }, index) => (
        <li key={title} className="flex gap-3">
          <span
            aria-hidden="true"
            className="figures grid size-6 shrink-0 place-items-center rounded-full border border-line-strong font-medium text-muted text-xs"
          >
            {index + 1}
          </span>
          <div>
            <p className="font-medium">{title}</p>
            <p className="text-pretty text-muted text-sm">{text}</p>
          </div>
        </li>
      ))}
    </ol>
  )
}
