import { useHotkey } from '#ui/keys/use-hotkey.ts'
import type { useZoom } from './use-zoom.ts'

const panStep = 80

/** Zooms by plus, minus and 0, and moves the enlarged picture by Shift and an arrow. */
export function useZoomKeys(
  zoom: Pick<ReturnType<typeof useZoom>, 'zoomBy' | 'showWhole' | 'moveBy'>,
  isEnabled = true,
) {
  const keys = { isEnabled, worksInModal: true, repeatMs: 0 }
  useHotkey('+', () => zoom.zoomBy(1.5), keys)
  useHotkey('=', () => zoom.zoomBy(1.5), keys)
  useHotkey('-', () => zoom.zoomBy(1 / 1.5), keys)
  useHotkey('0', zoom.showWhole, keys)
  useHotkey('shift+ArrowLeft', () => zoom.moveBy({ x: panStep, y: 0 }), keys)
  useHotkey('shift+ArrowRight', () => zoom.moveBy({ x: -panStep, y: 0 }), keys)
  useHotkey('shift+ArrowUp', () => zoom.moveBy({ x: 0, y: panStep }), keys)
  useHotkey('shift+ArrowDown', () => zoom.moveBy({ x: 0, y: -panStep }), keys)
}
