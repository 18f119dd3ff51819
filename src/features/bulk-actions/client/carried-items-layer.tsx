import { useQuery } from '@tanstack/react-query'
import Ban from 'lucide-react/icons/ban'
import FolderPlus from 'lucide-react/icons/folder-plus'
import { useEffect, useEffectEvent, useState } from 'react'
import { collectionQueries } from '#features/collections/client/queries.ts'
import { collectionMark } from '#features/media/client/carried-items.ts'
import type { Point } from '#features/media/client/rectangle.ts'
import { countOf } from '#shared/count.ts'
import { classNames } from '#ui/class-names.ts'
import { useEscape } from '#ui/layers/use-escape.ts'
import { useMoveToCollection } from './use-move-to-collection.ts'

type CarriedItemsLayerProps = {
  mediaIds: readonly number[]
  from: Point
  /** The items were dropped outside a collection, or the drag was canceled. */
  onCancel: () => void
  onMoved: (failedIds: readonly number[]) => void
}

/** Follows the pointer, shows the name of the collection under it, and adds the dragged items when they are dropped there. */
export function CarriedItemsLayer({ mediaIds, from, onCancel, onMoved }: CarriedItemsLayerProps) {
  const { data: collections } = useQuery(collectionQueries.summaries())
  const move = useMoveToCollection()
  const [at, setAt] = useState(from)
  const [over, setOver] = useState<number>()
  const [done, setDone] = useState(0)
  const target = collections?.find(({ id }) => id === over)
  const isCarried = move.isIdle
  const count = countOf(mediaIds.length, 'item')

  const follow = useEffectEvent((event: PointerEvent) => {
    // The button was released outside the window, or before this layer was mounted.
    if (event.buttons === 0) return onCancel()
    setAt({ x: event.clientX, y: event.clientY })
    setOver(collectionAt(event))
  })
  const drop = useEffectEvent((event: PointerEvent) => {
    const to = collections?.find(({ id }) => id === collectionAt(event))
    if (!to || to.query !== null) return onCancel()
    move.mutate(
      { mediaIds, to, onProgress: setDone },
      { onSuccess: ({ outcome }) => onMoved(outcome.failed), onError: onCancel },
    )
  })
  useEscape(isCarried, onCancel)
  useEffect(() => {
    if (!isCarried) return
    const ending = new AbortController()
    const options = { signal: ending.signal }
    window.addEventListener('pointermove', (event) => follow(event), options)
    window.addEventListener('pointerup', (event) => drop(event), options)
    window.addEventListener('pointercancel', () => onCancel(), options)
    return () => ending.abort()
  }, [isCarried, onCancel])
  const isRefused = target !== undefined && target.query !== null
  useMarkDropTarget(isRefused ? undefined : over)

  return (
    <div
      aria-hidden="true"
      className={classNames(
        'pointer-events-none fixed top-0 left-0 z-50 flex max-w-72 items-center gap-2 rounded-md px-2.5 py-1.5',
        'bg-overlay font-medium text-sm shadow-dialog [&_.lucide]:text-accent',
      )}
      style={{ transform: `translate(${at.x + 12}px, ${at.y + 12}px)` }}
    >
      {isRefused ? <Ban /> : <FolderPlus />}
      <span className="figures truncate">
        {!isCarried && `Adding ${done.toLocaleString('en')} of ${count}`}
        {isCarried &&
          (isRefused
            ? `"${target.name}" contains what matches its search`
            : target
              ? `Add ${count} to "${target.name}"`
              : count)}
      </span>
    </div>
  )
}

function collectionAt({ clientX, clientY }: PointerEvent) {
  const line = document.elementFromPoint(clientX, clientY)?.closest(`[${collectionMark}]`)
  return line ? Number(line.getAttribute(collectionMark)) : undefined
}

/** Marks the sidebar link of the drop target. Its styles follow the attribute, so the sidebar needs no state for it. */
function useMarkDropTarget(collectionId: number | undefined) {
  useEffect(() => {
    const lines = [...document.querySelectorAll<HTMLElement>(`[${collectionMark}="${collectionId}"]`)]
    for (const line of lines) line.dataset.isMeant = ''
    return () => {
      for (const line of lines) delete line.dataset.isMeant
    }
  }, [collectionId])
}
