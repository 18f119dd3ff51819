import { formatBytes } from '#shared/bytes.ts'
import { Badge } from '#ui/badge.tsx'
import { classNames } from '#ui/class-names.ts'
import { Checkbox } from '#ui/forms/checkbox.tsx'
import { ImageWithFallback } from '#ui/image-with-fallback.tsx'
import type { AuditedPicture } from '../contract.ts'
import { formatNames } from '../limits.ts'
import { problemNames } from '../problems.ts'

type PictureRowProps = { picture: AuditedPicture; isChosen: boolean; onToggle: (isChosen: boolean) => void }

export function PictureRow({ picture, isChosen, onToggle }: PictureRowProps) {
  const { key, fileName, name, alt, problems, mediaId, previewUrl, measuringError, pages } = picture
  const id = `picture-${key}`
  return (
    <li className={classNames('border-line not-last:border-b', isChosen && 'bg-accent/10')}>
      <label htmlFor={id} className="flex items-start gap-3 px-4 py-3 hover:bg-hover">
        <Checkbox id={id} aria-label={fileName} checked={isChosen} onCheckedChange={onToggle} className="mt-3" />
        <ImageWithFallback sources={[previewUrl]} alt={alt || name} className="w-14 shrink-0 rounded-sm" />
        <span className="flex min-w-0 grow flex-col gap-1">
          <span className="flex flex-wrap items-center gap-2">
            <span className="min-w-0 truncate font-medium">{fileName}</span>
            {mediaId !== null && <Badge tone="success">In your library</Badge>}
            {pages.length > 1 && <Badge>{pages.length} pages</Badge>}
          </span>
          <span className="figures text-muted text-sm">{factsOf(picture)}</span>
          {alt && <span className="line-clamp-2 text-muted text-sm">Alt text: {alt}</span>}
          {problems.length > 0 && (
            <span className="flex flex-wrap gap-1.5 pt-0.5">
              {problems.map((problem) => (
                <Badge key={problem} tone={problem === 'very-heavy' ? 'danger' : 'neutral'}>
                  {problemNames[problem]}
                </Badge>
              ))}
            </span>
          )}
          <Savings picture={picture} />
          {measuringError && <span className="text-danger text-sm">Not measured: {measuringError}</span>}
        </span>
      </label>
    </li>
  )
}

/** "312 KB · JPEG · 2400 × 1600, shown 600 wide" */
function factsOf({ bytes, format, width, height, shownWidth }: AuditedPicture) {
  const shown = shownWidth === null ? '' : `shown ${shownWidth} wide`
  const size = width === null ? shown : [`${width} × ${height}`, shown].filter(Boolean).join(', ')
  const weight = bytes === null ? 'Unknown size' : formatBytes(bytes)
  return [weight, format && formatNames[format], size].filter(Boolean).join(' · ')
}

function Savings({ picture: { measured } }: { picture: AuditedPicture }) {
  if (!measured) return null
  const { bytes, webp, avif, newWidth, width } = measured
  const formats = [
    { name: 'WebP', size: webp },
    { name: 'AVIF', size: avif },
  ].flatMap(({ name, size }) => (size === null ? [] : [`${name} ${formatBytes(size)}${percentOf(size, bytes)}`]))
  const resized = newWidth < width ? ` at ${newWidth} pixels` : ''
  return (
    <span className="figures text-sm text-success">
      {formats.join(' · ')}
      {resized}
    </span>
  )
}

const percentOf = (size: number, bytes: number) =>
  size < bytes ? ` (${Math.round((1 - size / bytes) * 100)}% less)` : ' (not smaller)'
