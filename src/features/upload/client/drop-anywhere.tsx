import Upload from 'lucide-react/icons/upload'
import { useEffect, useState } from 'react'
import { isModalOpen } from '#ui/layers/open-modals.ts'
import { toastError } from '#ui/notices/toast.ts'
import { namePastedFiles, readDroppedFiles } from './incoming-files.ts'
import { isUploadOpen, openUpload } from './upload-store.ts'

/** Hands files dropped anywhere on the page, and pasted images, to the upload dialog. */
export function DropAnywhere() {
  const isOver = useFileDrop()
  usePastedFiles()
  if (!isOver) return null
  return (
    // Below the bar, whose search box takes a picture to search with.
    <div className="pointer-events-none fixed inset-x-0 top-14 bottom-0 z-50 animate-fade-in bg-canvas/80 p-3 backdrop-blur-sm">
      <div className="grid size-full place-items-center rounded-lg border-2 border-accent border-dashed">
        <div className="flex flex-col items-center gap-3 text-center">
          <Upload aria-hidden="true" className="size-8 text-accent" />
          <p className="font-semibold text-xl">Drop to upload</p>
          <p className="text-muted">Images, videos or whole folders</p>
          <p className="text-muted">To find similar items, drop an image on the search box</p>
        </div>
      </div>
    </div>
  )
}

/** Whether files are dragged over the page. Without a handler, the browser would navigate to a dropped file. */
function useFileDrop(): boolean {
  const [isOver, setIsOver] = useState(false)
  useEffect(() => {
    // Entered elements minus left ones; at zero the pointer is outside the page.
    let depth = 0
    let isOwnDrag = false
    const change = (next: number) => {
      depth = Math.max(0, next)
      setIsOver(depth > 0)
    }
    const isFileDrag = ({ dataTransfer }: DragEvent) => !isOwnDrag && Boolean(dataTransfer?.types.includes('Files'))
    const enter = (event: DragEvent) => isFileDrag(event) && acceptsFiles() && change(depth + 1)
    const leave = (event: DragEvent) => isFileDrag(event) && change(depth - 1)
    const over = (event: DragEvent) => {
      if (!isFileDrag(event)) return
      event.preventDefault()
      if (event.dataTransfer) event.dataTransfer.dropEffect = acceptsFiles() ? 'copy' : 'none'
    }
    const drop = async (event: DragEvent) => {
      change(0)
      // The search box takes pictures that are dropped on it.
      if (!isFileDrag(event) || !event.dataTransfer || event.defaultPrevented) return
      event.preventDefault()
      if (!acceptsFiles()) return
      const { files, unreadable } = await readDroppedFiles(event.dataTransfer)
      if (files.length + unreadable > 0) openUpload(files, unreadable)
      else toastError('Nothing to upload', 'The items you dropped contain no files.')
    }
    // In some browsers an image dragged within the page counts as a file.
    const beginDrag = () => {
      isOwnDrag = true
    }
    const endDrag = () => {
      isOwnDrag = false
    }
    const stop = new AbortController()
    const options = { signal: stop.signal }
    window.addEventListener('dragenter', enter, options)
    window.addEventListener('dragleave', leave, options)
    window.addEventListener('dragover', over, options)
    window.addEventListener('drop', drop, options)
    window.addEventListener('dragstart', beginDrag, options)
    window.addEventListener('dragend', endDrag, options)
    return () => stop.abort()
  }, [])
  return isOver
}

function usePastedFiles() {
  useEffect(() => {
    const paste = ({ clipboardData, target }: ClipboardEvent) => {
      const files = [...(clipboardData?.files ?? [])]
      if (files.length === 0 || !acceptsFiles() || isEditor(target)) return
      openUpload(namePastedFiles(files, new Date()))
    }
    document.addEventListener('paste', paste)
    return () => document.removeEventListener('paste', paste)
  }, [])
}

/** False while another dialog is open. */
function acceptsFiles(): boolean {
  return isUploadOpen() || !isModalOpen()
}

function isEditor(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea'))
}
