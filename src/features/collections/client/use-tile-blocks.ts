import { type RefObject, useEffectEvent, useLayoutEffect, useState } from 'react'
import { blocksInView, tilesPerBlock } from './tile-blocks.ts'

type View = { first: number; last: number; columns: number; rowHeight: number; gap: number }

const notMeasured: View = { first: 0, last: 0, columns: 1, rowHeight: 0, gap: 0 }

/** Which blocks of a grid of squares are rendered, and the height of the spacers for the others. */
export function useTileBlocks(listRef: RefObject<HTMLElement | null>, count: number) {
  const [view, setView] = useState(notMeasured)
  const measure = useEffectEvent(() => {
    const list = listRef.current
    if (!list) return
    const rows = rowsOf(list)
    const { top } = list.getBoundingClientRect()
    const blockHeight = (tilesPerBlock / rows.columns) * rows.rowHeight
    const blocks = Math.ceil(count / tilesPerBlock)
    const next = { ...rows, ...blocksInView({ top, blockHeight, blocks }, window.innerHeight) }
    setView((before) => (JSON.stringify(before) === JSON.stringify(next) ? before : next))
  })
  useLayoutEffect(() => {
    measure()
    const ending = new AbortController()
    // The scrolling element is an unknown ancestor, and scroll events do not bubble, hence the capture.
    const options = { capture: true, passive: true, signal: ending.signal }
    document.addEventListener('scroll', () => measure(), options)
    const observer = new ResizeObserver(() => measure())
    if (listRef.current) observer.observe(listRef.current)
    return () => {
      ending.abort()
      observer.disconnect()
    }
  }, [listRef])
  return {
    isNear: (block: number) => block >= view.first && block <= view.last,
    roomOf: (tiles: number) => Math.ceil(tiles / view.columns) * view.rowHeight - view.gap,
  }
}

function rowsOf(list: HTMLElement) {
  const { gridTemplateColumns, rowGap } = getComputedStyle(list)
  const columns = gridTemplateColumns.split(' ')
  const gap = Number.parseFloat(rowGap)
  return { columns: columns.length, rowHeight: Number.parseFloat(columns[0]!) + gap, gap }
}
