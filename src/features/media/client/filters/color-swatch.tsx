import type { ColorName } from '../../search-query.ts'

const colors: Record<ColorName, string> = {
  red: '#d92d2d',
  orange: '#ee8a1d',
  yellow: '#f0d02c',
  green: '#3c9f46',
  teal: '#1f9b98',
  blue: '#2f6fdd',
  purple: '#8546c8',
  pink: '#ec6fae',
  brown: '#80552f',
  black: '#111111',
  gray: '#8b8b8b',
  white: '#fafafa',
}

export function ColorSwatch({ color }: { color: string }) {
  return (
    <span
      aria-hidden="true"
      // Keeps its color where the system replaces all others.
      className="size-3 shrink-0 rounded-full border border-line-strong [forced-color-adjust:none]"
      style={{ background: colors[color as ColorName] }}
    />
  )
}
