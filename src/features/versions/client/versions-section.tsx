import { useQuery } from '@tanstack/react-query'
import Crop from 'lucide-react/icons/crop'
import FileUp from 'lucide-react/icons/file-up'
import RotateCcw from 'lucide-react/icons/rotate-ccw'
import Shredder from 'lucide-react/icons/shredder'
import { useRef, useState } from 'react'
import { PanelSection } from '#features/media/client/viewer/panel-section.tsx'
import type { Media } from '#features/media/contract.ts'
import { acceptedOf } from '#features/media/mime-types.ts'
import { formatBytes } from '#shared/bytes.ts'
import { relativeDate } from '#shared/dates.ts'
import { Button } from '#ui/button.tsx'
import { IconButton } from '#ui/icon-button.tsx'
import { ConfirmDialog } from '#ui/layers/confirm-dialog.tsx'
import type { Version } from '../contract.ts'
import { useDeleteVersion, useReplaceFile, useRestoreVersion } from './mutations.ts'
import { versionQueries } from './queries.ts'

type VersionsSectionProps = { media: Media; isSettled: boolean; onEdit: () => void }

/** Replaces and edits the item's file, and lists its earlier files. */
export function VersionsSection({ media, isSettled, onEdit }: VersionsSectionProps) {
  const { data } = useQuery({ ...versionQueries.of(media.id), enabled: isSettled })
  const versions = data?.versions ?? []
  return (
    <PanelSection title="File">
      <div className="-mx-2 flex flex-col">
        {media.type === 'image' && !media.isAnimated && (
          <Button icon={<Crop />} variant="quiet" onClick={onEdit} className="justify-start! px-2! font-normal!">
            Crop and adjust
          </Button>
        )}
        <ReplaceButton media={media} />
      </div>
      {versions.length > 1 && (
        <ul aria-label="Versions" className="mt-2 flex flex-col gap-2">
          {versions.map((version) => (
            <VersionRow key={version.id} media={media} version={version} />
          ))}
        </ul>
      )}
    </PanelSection>
  )
}

function ReplaceButton({ media }: { media: Media }) {
  const replace = useReplaceFile()
  const [percent, setPercent] = useState<number>()
  const inputRef = useRef<HTMLInputElement>(null)
  const choose = (file: File | undefined) => {
    if (!file) return
    const onSent = (sent: number) => setPercent(Math.floor((sent / Math.max(1, file.size)) * 100))
    replace.mutate({ id: media.id, file, onSent }, { onSettled: () => setPercent(undefined) })
  }
  return (
    <>
      <Button
        icon={<FileUp />}
        variant="quiet"
        isPending={replace.isPending}
        onClick={() => inputRef.current?.click()}
        className="justify-start! px-2! font-normal!"
      >
        Replace File{percent !== undefined && percent < 100 && ` (${percent}%)`}
      </Button>
      <input
        ref={inputRef}
        type="file"
        accept={acceptedOf(media.type)}
        hidden
        aria-label="New file"
        onChange={({ target }) => {
          choose(target.files?.[0])
          // The same file can be chosen again.
          target.value = ''
        }}
      />
    </>
  )
}

const causes: Record<Version['cause'], string> = {
  upload: 'Uploaded',
  replacement: 'Replaced',
  conversion: 'Converted',
  edit: 'Edited',
}

function VersionRow({ media, version }: { media: Media; version: Version }) {
  const restore = useRestoreVersion()
  const [isAsking, setIsAsking] = useState(false)
  const { id: versionId, isCurrent, madeAt, madeBy, size, width, height, cause, thumbnailUrl, originalUrl } = version
  const made = `${causes[cause]} ${relativeDate(madeAt).replace('Today', 'today')}`
  return (
    <li className="flex items-center gap-3 text-sm">
      <a href={originalUrl} target="_blank" rel="noreferrer" aria-label={`Open the file: ${made}`} className="shrink-0">
        <img src={thumbnailUrl} alt="" loading="lazy" className="size-10 rounded-sm bg-raised object-cover" />
      </a>
      <div className="min-w-0 grow">
        <p className="truncate" title={new Date(madeAt).toLocaleString()}>
          {made}
          {madeBy && ` by ${madeBy}`}
        </p>
        <p className="figures truncate text-muted text-xs">
          {isCurrent && 'Current · '}
          {formatBytes(size)}
          {version.expiresAt
            ? ` · kept until ${new Date(version.expiresAt).toLocaleDateString()}`
            : width && height && ` · ${width} × ${height}`}
        </p>
      </div>
      {!isCurrent && versionId !== null && (
        <>
          <IconButton
            label={`Restore: ${made}`}
            icon={<RotateCcw />}
            size="sm"
            isPending={restore.isPending}
            onClick={() => restore.mutate({ id: media.id, versionId })}
          />
          <IconButton
            label={`Delete version: ${made}`}
            icon={<Shredder />}
            size="sm"
            onClick={() => setIsAsking(true)}
          />
          {isAsking && <DeleteVersion media={media} versionId={versionId} onClose={() => setIsAsking(false)} />}
        </>
      )}
    </li>
  )
}

type DeleteVersionProps = { media: Media; versionId: number; onClose: () => void }

function DeleteVersion({ media, versionId, onClose }: DeleteVersionProps) {
  const remove = useDeleteVersion()
  return (
    <ConfirmDialog
      onClose={onClose}
      title="Delete this version?"
      description="This earlier file will be permanently deleted. The item and its other versions are kept."
      confirmLabel="Delete"
      tone="danger"
      isPending={remove.isPending}
      onConfirm={() => remove.mutate({ id: media.id, versionId }, { onSettled: onClose })}
    />
  )
}
