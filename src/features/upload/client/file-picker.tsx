import ImageUp from 'lucide-react/icons/image-up'
import { type ChangeEvent, useRef } from 'react'
import { Button } from '#ui/button.tsx'
import { classNames } from '#ui/class-names.ts'
import { acceptAttribute } from './incoming-files.ts'

type FilePickerProps = {
  /** "Up to 20 files" */
  limit: string
  /** A single line, used once files are chosen. */
  isCompact: boolean
  onPick: (files: readonly File[]) => void
}

/** Buttons to choose files or a folder. It looks like a drop zone, but DropAnywhere handles drops on the whole page. */
export function FilePicker({ limit, isCompact, onPick }: FilePickerProps) {
  const inputRef = useRef<HTMLInputElement>(null)
  const open = (wanted: 'files' | 'folder') => {
    const input = inputRef.current!
    input.webkitdirectory = wanted === 'folder'
    input.click()
  }
  const pick = ({ target }: ChangeEvent<HTMLInputElement>) => {
    onPick([...(target.files ?? [])])
    // Without this, choosing the same file again would fire no change event.
    target.value = ''
  }
  return (
    <div
      className={classNames(
        'flex items-center rounded-md border border-line-strong border-dashed bg-hover',
        isCompact
          ? 'flex-wrap justify-between gap-x-4 gap-y-2 px-3 py-2.5'
          : // On a phone in landscape the button would otherwise be below the fold.
            'flex-col gap-5 px-4 py-8 text-center [@media(height<32rem)]:gap-2 [@media(height<32rem)]:py-3',
      )}
    >
      <input ref={inputRef} type="file" multiple hidden accept={acceptAttribute} aria-label="Files" onChange={pick} />
      {!isCompact && (
        <ImageUp aria-hidden="true" className="-mb-2 size-8 stroke-[1.25] text-faint [@media(height<32rem)]:hidden" />
      )}
      <div>
        <p className={isCompact ? 'text-sm' : 'font-medium'}>
          <span className="pointer-coarse:hidden">
            {isCompact ? 'Drop more files here' : 'Drop files or folders here, or paste an image'}
          </span>
          {/* Touch devices cannot drop files. */}
          <span className="hidden pointer-coarse:inline">{isCompact ? 'More files' : 'Images and videos'}</span>
        </p>
        <p className="figures text-muted text-sm">
          <span>{limit}</span>
          {!isCompact && <span> · up to 500 MB each</span>}
        </p>
        {!isCompact && <p className="text-muted text-sm">JPEG, PNG, GIF, WebP, MP4, MOV, AVI</p>}
      </div>
      <div className="flex gap-2">
        <Button size={isCompact ? 'sm' : 'md'} onClick={() => open('files')}>
          {isCompact ? 'Add files' : 'Choose files'}
        </Button>
        <Button
          size={isCompact ? 'sm' : 'md'}
          variant="quiet"
          className="pointer-coarse:hidden"
          onClick={() => open('folder')}
        >
          {isCompact ? 'Add folder' : 'Choose a folder'}
        </Button>
      </div>
    </div>
  )
}
