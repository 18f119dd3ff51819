import FileUp from 'lucide-react/icons/file-up'
import { useEffect, useEffectEvent, useState } from 'react'
import type { Media } from '#features/media/contract.ts'
import { toastError } from '#ui/notices/toast.ts'
import { useReplaceFile } from './mutations.ts'

/** A file dropped on the viewer replaces the item's file. */
export function ReplaceDrop({ media }: { media: Media }) {
  const [isOver, setIsOver] = useState(false)
  const { mutate } = useReplaceFile()
  const replace = useEffectEvent((files: File[]) => {
    if (files.length === 1) mutate({ id: media.id, file: files[0]! })
    else toastError('Nothing was replaced', 'Drop a single file to replace this one.')
  })
  useEffect(() => {
    // Entered elements minus left ones; at zero the pointer is outside the page.
    let depth = 0
    const change = (next: number) => {
      depth = Math.max(0, next)
      setIsOver(depth > 0)
    }
    const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') === true
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return
      // The upload's listener would show that files are not accepted here.
      event.stopImmediatePropagation()
      event.preventDefault()
      event.dataTransfer!.dropEffect = 'copy'
    }
    const drop = (event: DragEvent) => {
      change(0)
      if (!hasFiles(event)) return
      event.stopImmediatePropagation()
      event.preventDefault()
      replace([...event.dataTransfer!.files])
    }
    const stop = new AbortController()
    const options = { signal: stop.signal, capture: true }
    window.addEventListener('dragenter', (event) => hasFiles(event) && change(depth + 1), options)
    window.addEventListener('dragleave', (event) => hasFiles(event) && change(depth - 1), options)
    window.addEventListener('dragover', over, options)
    window.addEventListener('drop', drop, options)
    return () => stop.abort()
  }, [])
  if (!isOver) return null
  return (
    <div className="pointer-events-none absolute inset-0 z-10 animate-fade-in bg-canvas/80 p-3 backdrop-blur-sm">
      <div className="grid size-full place-items-center rounded-lg border-2 border-accent border-dashed">
        <div className="flex flex-col items-center gap-3 p-4 text-center">
          <FileUp aria-hidden="true" className="size-8 text-accent" />
          <p className="font-semibold text-xl">Drop to replace the file</p>
          <p className="text-muted">Links, words and collections stay</p>
        </div>
      </div>
    </div>
  )
}
