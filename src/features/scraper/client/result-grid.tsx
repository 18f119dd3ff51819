import { Checkbox } from '#ui/forms/checkbox.tsx'
import { ImageWithFallback } from '#ui/image-with-fallback.tsx'
import { PictureLabel } from '#ui/picture-label.tsx'
import type { PreviewImage } from '../contract.ts'
import { describeSize } from './describe-size.ts'

export type ResultsProps = {
  images: readonly PreviewImage[]
  selectedIds: ReadonlySet<string>
  isDisabled: boolean
  onToggle: (id: string) => void
}

export function ResultGrid({ images, selectedIds, isDisabled, onToggle }: ResultsProps) {
  return (
    <ul className="grid grid-cols-2 gap-x-4 gap-y-3 p-4 sm:grid-cols-3 lg:grid-cols-4 xl:grid-cols-5 2xl:grid-cols-6">
      {images.map((image) => (
        <li key={image.id} className="min-w-0">
          <ResultTile
            image={image}
            isSelected={selectedIds.has(image.id)}
            isDisabled={isDisabled}
            onToggle={() => onToggle(image.id)}
          />
        </li>
      ))}
    </ul>
  )
}

type ResultTileProps = { image: PreviewImage; isSelected: boolean; isDisabled: boolean; onToggle: () => void }

function ResultTile({ image, isSelected, isDisabled, onToggle }: ResultTileProps) {
  const { intelligentName, alt, context, previewUrl, isInLibrary } = image
  return (
    <label htmlFor={`select-${image.id}`} className="group flex flex-col gap-2">
      <span className="relative block">
        <ImageWithFallback
          sources={[previewUrl]}
          alt={alt || intelligentName}
          className="rounded-picture transition-opacity group-hover:opacity-90"
        />
        {isSelected && (
          <span className="pointer-events-none absolute inset-0 rounded-picture ring-3 ring-accent ring-inset" />
        )}
        <Checkbox
          id={`select-${image.id}`}
          aria-label={intelligentName}
          checked={isSelected}
          disabled={isDisabled}
          onCheckedChange={onToggle}
          className="absolute! top-2 left-2"
        />
        {isInLibrary && (
          <PictureLabel className="pointer-events-none absolute bottom-1.5 left-1.5">In your library</PictureLabel>
        )}
      </span>
      <span className="flex min-w-0 flex-col px-0.5 pb-1">
        <span className="truncate font-medium text-sm" title={intelligentName}>
          {intelligentName}
        </span>
        <span className="figures min-h-4 truncate text-muted text-xs">{describeSize(image)}</span>
        {context && (
          <span className="truncate text-faint text-xs" title={context}>
            {context}
          </span>
        )}
      </span>
    </label>
  )
}
