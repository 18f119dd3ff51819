import CloudUpload from 'lucide-react/icons/cloud-upload'
import Copy from 'lucide-react/icons/copy'
import Download from 'lucide-react/icons/download'
import Eraser from 'lucide-react/icons/eraser'
import FileImage from 'lucide-react/icons/file-image'
import RotateCcw from 'lucide-react/icons/rotate-ccw'
import Shredder from 'lucide-react/icons/shredder'
import Sparkles from 'lucide-react/icons/sparkles'
import type { ReactNode } from 'react'
import { Button, type ButtonProps } from '#ui/button.tsx'
import { saveFile } from '#ui/save-file.ts'
import type { Media } from '../../contract.ts'
import { holdsWords } from '../../mime-types.ts'
import { useCopyMedia, useRestoreFromTrash } from '../mutations.ts'
import { useServices } from '../use-services.ts'
import { PanelSection } from './panel-section.tsx'
import { useAnalyze, useSyncImageKitName } from './viewer-mutations.ts'

type ChangeActionsProps = { media: Media; onConvert: () => void; onRemoveBackground: () => void }

/** Actions that change the item or create a new one from it. */
export function ChangeActions({ media, onConvert, onRemoveBackground }: ChangeActionsProps) {
  const copy = useCopyMedia()
  const analyze = useAnalyze()
  const sync = useSyncImageKitName()
  const { hasAi, hasBackgroundRemoval, hasImageKit } = useServices()
  return (
    <PanelSection title="Actions">
      <ActionList>
        <Action icon={<Copy />} isPending={copy.isPending} onClick={() => copy.mutate(media.id)}>
          Duplicate
        </Action>
        {media.type === 'image' && (
          <Action icon={<FileImage />} onClick={onConvert}>
            {media.mimeType === 'image/webp' ? 'Compress WebP' : 'Convert to WebP'}
          </Action>
        )}
        {hasBackgroundRemoval && media.type === 'image' && !media.isAnimated && (
          <Action icon={<Eraser />} onClick={onRemoveBackground}>
            Remove background
          </Action>
        )}
        {media.type === 'image' && (
          <>
            {holdsWords(media.mimeType) && (
              <Action icon={<Download />} onClick={() => saveFile(`${media.originalUrl}?download=1&metadata=1`)}>
                Download with metadata
              </Action>
            )}
            <Action icon={<Download />} onClick={() => saveFile(`${media.originalUrl}?download=1&metadata=0`)}>
              Download without metadata
            </Action>
          </>
        )}
        {hasAi && (
          <Action icon={<Sparkles />} isPending={analyze.isPending} onClick={() => analyze.mutate(media.id)}>
            Re-run AI analysis
          </Action>
        )}
        {hasImageKit && (
          <Action
            icon={<CloudUpload />}
            isPending={sync.isPending}
            onClick={() => sync.mutate({ id: media.id, newName: media.filename })}
          >
            Sync name to ImageKit
          </Action>
        )}
      </ActionList>
    </PanelSection>
  )
}

type RemoveActionsProps = { media: Media; onDelete: () => void }

export function RemoveActions({ media, onDelete }: RemoveActionsProps) {
  const restore = useRestoreFromTrash()
  return (
    <PanelSection title={media.trashedAt ? 'Restore or delete' : 'Remove'}>
      <ActionList>
        {media.trashedAt && (
          <Action icon={<RotateCcw />} isPending={restore.isPending} onClick={() => restore.mutate([media.id])}>
            Restore
          </Action>
        )}
        <Action icon={<Shredder />} variant="quiet-danger" onClick={onDelete}>
          Delete permanently…
        </Action>
      </ActionList>
    </PanelSection>
  )
}

function ActionList({ children }: { children: ReactNode }) {
  return <div className="-mx-2 flex flex-col">{children}</div>
}

function Action({ variant = 'quiet', ...props }: ButtonProps) {
  return <Button {...props} variant={variant} className="justify-start! px-2! font-normal!" />
}
