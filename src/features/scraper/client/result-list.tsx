import { Badge } from '#ui/badge.tsx'
import { classNames } from '#ui/class-names.ts'
import { Checkbox } from '#ui/forms/checkbox.tsx'
import { ImageWithFallback } from '#ui/image-with-fallback.tsx'
import { describeSize } from './describe-size.ts'
import type { ResultsProps } from './result-grid.tsx'

export function ResultList({ images, selectedIds, isDisabled, onToggle }: ResultsProps) {
  return (
    <ul>
      {images.map((image) => {
        const isSelected = selectedIds.has(image.id)
        return (
          <li key={image.id} className={classNames('border-line not-last:border-b', isSelected && 'bg-accent/10')}>
            <label
              htmlFor={`select-${image.id}`}
              className="flex min-h-14 items-center gap-3 px-4 py-1.5 hover:bg-hover"
            >
              <Checkbox
                id={`select-${image.id}`}
                aria-label={image.intelligentName}
                checked={isSelected}
                disabled={isDisabled}
                onCheckedChange={() => onToggle(image.id)}
              />
              <ImageWithFallback
                sources={[image.previewUrl]}
                alt={image.alt || image.intelligentName}
                className="w-10 shrink-0 rounded-sm"
              />
              <span className="flex min-w-0 grow flex-col">
                <span className="truncate font-medium">{image.intelligentName}</span>
                {image.context && <span className="truncate text-muted text-sm">{image.context}</span>}
              </span>
              {image.isInLibrary && <Badge>In your library</Badge>}
              <span className="figures shrink-0 text-right text-muted text-sm max-sm:hidden">
                {describeSize(image)}
              </span>
            </label>
          </li>
        )
      })}
    </ul>
  )
}
