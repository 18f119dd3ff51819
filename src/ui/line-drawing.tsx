import type { ReactNode } from 'react'

export type DrawingName = 'picture' | 'folder' | 'search' | 'tray' | 'unplugged'

const drawings: Record<DrawingName, ReactNode> = {
  // A framed portrait leaning on another picture.
  picture: (
    <>
      <path d="M30 16.5 68 9l8.5 41.5" opacity="0.5" />
      <rect x="22" y="16" width="42" height="48" rx="4" />
      <path d="M43 24c6.4 0 11.5 9.4 11.5 17S49.5 54 43 54s-11.5-5.4-11.5-13S36.6 24 43 24Z" />
      <path d="M35 47.5c2.5-3.5 5-5.2 8-5.2s5.5 1.7 8 5.2" />
      <circle cx="43" cy="36" r="3.5" />
    </>
  ),
  folder: (
    <>
      <path d="M30 18V12.5a2.5 2.5 0 0 1 2.5-2.5h31a2.5 2.5 0 0 1 2.5 2.5V22" opacity="0.5" />
      <path d="M17 26a4 4 0 0 1 4-4h16l6 6h32a4 4 0 0 1 4 4v28a4 4 0 0 1-4 4H21a4 4 0 0 1-4-4Z" />
      <path d="M17 37h62" />
    </>
  ),
  // A contact sheet under a magnifier.
  search: (
    <>
      <rect x="16" y="12" width="52" height="48" rx="4" />
      <path d="M16 28h52M16 44h52M33.5 12v48M50.5 12v48" opacity="0.5" />
      <circle cx="58" cy="42" r="14" className="fill-canvas" />
      <path d="m68.5 52.5 9.5 10" />
      <path d="M51.5 38a8 8 0 0 1 6-4.5" opacity="0.5" />
    </>
  ),
  // An empty developing tray.
  tray: (
    <>
      <path d="M14 34h68l-8 24a4 4 0 0 1-4 3H26a4 4 0 0 1-4-3Z" />
      <path d="M20 44c5-3 9-3 14 0s9 3 14 0 9-3 14 0 9 3 14 0" opacity="0.5" />
      <path d="M48 11v12m-5-5 5 5 5-5" />
    </>
  ),
  unplugged: (
    <>
      <path d="M10 37h18a10 10 0 0 0 10 10h4V27h-4a10 10 0 0 0-10 10M42 31h6M42 43h6" />
      <path d="M86 37H74a10 10 0 0 1-10 10h-4V27h4a10 10 0 0 1 10 10" />
      <path d="m52 14 2 6M62 12l-3 7M52 60l2-6" opacity="0.5" />
    </>
  ),
}

/** A small drawing in the current text color. */
export function LineDrawing({ name }: { name: DrawingName }) {
  return (
    <svg
      viewBox="0 0 96 72"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className="h-18 w-24"
    >
      {drawings[name]}
    </svg>
  )
}
