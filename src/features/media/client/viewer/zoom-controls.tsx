import Minus from 'lucide-react/icons/minus'
import Plus from 'lucide-react/icons/plus'
import { classNames } from '#ui/class-names.ts'
import { IconButton } from '#ui/icon-button.tsx'

type ZoomControlsProps = { percent: number; onZoomIn: () => void; onZoomOut: () => void; onShowWhole: () => void }

/** Visible while the mouse is over the picture or a control has keyboard focus. On touch screens users pinch instead. */
export function ZoomControls({ percent, onZoomIn, onZoomOut, onShowWhole }: ZoomControlsProps) {
  return (
    <fieldset
      aria-label="Zoom"
      // A press here must not start a drag.
      onPointerDown={(event) => event.stopPropagation()}
      className={classNames(
        'absolute bottom-3 left-1/2 flex -translate-x-1/2 items-center rounded-full p-0.5',
        'bg-overlay/90 shadow-float backdrop-blur-sm pointer-coarse:hidden',
        'opacity-0 transition-opacity focus-within:opacity-100 group-hover/stage:opacity-100',
      )}
    >
      <IconButton
        label="Zoom out"
        shortcut="-"
        size="sm"
        icon={<Minus />}
        onClick={onZoomOut}
        className="rounded-full!"
      />
      <button
        type="button"
        tabIndex={0}
        title="Fit to screen (0)"
        onClick={onShowWhole}
        className="figures h-7 w-14 rounded-sm text-center text-muted text-sm hover:text-ink"
      >
        {percent}%
      </button>
      <IconButton label="Zoom in" shortcut="+" size="sm" icon={<Plus />} onClick={onZoomIn} className="rounded-full!" />
    </fieldset>
  )
}
