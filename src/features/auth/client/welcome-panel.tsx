import ImageUp from 'lucide-react/icons/image-up'
import Search from 'lucide-react/icons/search'
import Sparkles from 'lucide-react/icons/sparkles'
import { classNames } from '#ui/class-names.ts'
import { AlbumenPrint } from './albumen-print.tsx'

const features = [
  {
    Icon: ImageUp,
    title: 'Smart Upload',
    text: 'Drop a whole shoot at once. Names, sizes and previews are handled for you.',
  },
  {
    Icon: Sparkles,
    title: 'AI Analysis',
    text: 'Items get descriptions and tags, and your own text is always kept.',
  },
  {
    Icon: Search,
    title: 'Fast Search',
    text: 'Find an item by its name, tags, content or the text inside it.',
  },
]

/** The product's features next to an illustration of the albumen process. */
export function WelcomePanel() {
  return (
    <aside
      aria-label="What Albumen does"
      className={classNames(
        'relative flex flex-col items-center justify-center overflow-clip px-5 py-12 sm:px-8',
        'border-line max-lg:border-t lg:border-l',
      )}
    >
      {/* A darkroom's safelight. */}
      <div
        aria-hidden="true"
        className={classNames(
          'absolute inset-x-0 top-0 h-[36rem]',
          'bg-[radial-gradient(50%_100%_at_50%_0%,color-mix(in_oklab,var(--accent)_16%,transparent),transparent)]',
        )}
      />
      <div className="relative w-full max-w-2xl">
        <AlbumenPrint className="mx-auto mb-14 w-full max-w-md drop-shadow-[0_16px_24px_oklch(0.1_0.02_60/0.25)] max-lg:hidden" />
        <ul className="grid gap-x-8 gap-y-6 sm:grid-cols-3">
          {features.map(({ Icon, title, text }) => (
            <li key={title} className="flex gap-3.5 sm:flex-col sm:gap-2">
              <Icon aria-hidden="true" className="mt-0.5 size-5 text-muted" />
              <div>
                <h2 className="font-semibold">{title}</h2>
                <p className="mt-0.5 text-pretty text-muted text-sm">{text}</p>
              </div>
            </li>
          ))}
        </ul>
      </div>
    </aside>
  )
}
