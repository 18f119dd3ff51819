import { useQuery } from '@tanstack/react-query'
import { useLayoutEffect, useRef, useState } from 'react'
import type { Media } from '#features/media/contract.ts'
import { failureReason } from '#platform/client/call.ts'
import { chunksOf } from '#shared/chunks.ts'
import { Dialog } from '#ui/layers/dialog.tsx'
import { LoadFailure } from '#ui/load-failure.tsx'
import { Spinner } from '#ui/spinner.tsx'
import type { Collection } from '../../contract.ts'
import { moveTo } from '../arrange-order.ts'
import { type ArrangeActions, ArrangeTile } from '../arrange-tile.tsx'
import { useUpdateCollection } from '../mutations.ts'
import { collectionQueries } from '../queries.ts'
import { tilesPerBlock } from '../tile-blocks.ts'
import { useArranging } from '../use-arranging.ts'
import { useTileBlocks } from '../use-tile-blocks.ts'

type Arranged = Pick<Collection, 'id' | 'query'>

export function ArrangeDialog({ collection, onClose }: { collection: Arranged; onClose: () => void }) {
  const isSmart = collection.query !== null
  const { data, isPending, error, refetch } = useQuery(collectionQueries.media(collection.id))
  return (
    <Dialog
      onClose={onClose}
      size="xl"
      title={isSmart ? 'Choose Cover' : 'Arrange & Cover'}
      description={isSmart ? ofSmart : ofNormal}
    >
      {isPending && <Spinner label="Loading items" />}
      {!data && error && (
        <LoadFailure what="this collection's items" why={failureReason(error)} onRetry={() => void refetch()} />
      )}
      {data?.media.length === 0 && <p className="py-8 text-center text-muted">No media in this collection</p>}
      {data && data.media.length > 0 && <ArrangeGrid collection={collection} media={data.media} />}
    </Dialog>
  )
}

const ofNormal = 'Drag to reorder, or use arrow keys. Star an item to make it the cover (default: the first).'
const ofSmart =
  'Star an item to make it the cover (default: the newest). A smart collection shows what matches its search, newest first, so it cannot be arranged. Freeze it to arrange its items.'

function ArrangeGrid({ collection, media }: { collection: Arranged; media: readonly Media[] }) {
  const listRef = useRef<HTMLUListElement>(null)
  const update = useUpdateCollection()
  const arranging = useArranging(collection.id, media)
  const { order, heldId } = arranging
  const byId = new Map(media.map((item) => [item.id, item]))
  const { data: { coverMediaId = null } = {} } = useQuery(collectionQueries.one(collection.id))
  const coverId = byId.has(coverMediaId ?? -1) ? coverMediaId : null
  const columns = () => getComputedStyle(listRef.current!).gridTemplateColumns.split(' ').length
  const { isNear, roomOf } = useTileBlocks(listRef, order.length)
  const heldBlock = Math.floor(order.indexOf(heldId ?? -1) / tilesPerBlock)
  const [putDownId, setPutDownId] = useState<number>()
  const placeOf = ({ id }: Media) => `position ${order.indexOf(id) + 1} of ${order.length}`
  const held = byId.get(heldId ?? -1)
  const putDown = byId.get(putDownId ?? -1)
  const present: ArrangeActions = {
    cover: (id) => update.mutate({ id: collection.id, coverMediaId: id === coverId ? null : id }),
    key: (key) => arranging.handleKey(key, columns()),
    press: (id) => {
      setPutDownId(heldId)
      if (heldId === undefined) return arranging.pickUp(id)
      arranging.putDown(moveTo(order, heldId, order.indexOf(id)))
    },
    dragStart: arranging.pickUp,
    dragOver: (id) => heldId !== undefined && heldId !== id && arranging.hold(order.indexOf(id)),
    drop: () => arranging.putDown(),
    dragEnd: arranging.giveUp,
  }
  const actions = useRef(present)
  useLayoutEffect(() => {
    actions.current = present
  })
  return (
    <>
      <p aria-live="assertive" aria-atomic="true" className="sr-only">
        {held ? `${held.filename}, ${placeOf(held)}` : putDown && `${putDown.filename} moved to ${placeOf(putDown)}`}
      </p>
      <ul ref={listRef} className="grid grid-cols-3 gap-2 py-1 sm:grid-cols-5 md:grid-cols-6">
        {/* One flat list, so that a tile which moves between blocks keeps its element, its focus and its drag. */}
        {[...chunksOf(order, tilesPerBlock)].flatMap((ids, block) =>
          isNear(block) || block === heldBlock
            ? ids.map((id, index) => (
                <ArrangeTile
                  key={id}
                  media={byId.get(id)!}
                  place={`${block * tilesPerBlock + index + 1} of ${order.length}`}
                  isHeld={id === heldId}
                  isCover={id === coverId}
                  isFixed={collection.query !== null}
                  actions={actions}
                />
              ))
            : // biome-ignore lint/suspicious/noArrayIndexKey: spacers have no identity
              [<li key={`block ${block}`} className="col-span-full" style={{ height: roomOf(ids.length) }} />],
        )}
      </ul>
    </>
  )
}
