type Press = { key: string; shiftKey: boolean; ctrlKey: boolean; altKey: boolean; metaKey: boolean }
type Scrolled = { scrollTop: number; clientHeight: number; scrollHeight: number }

const lineHeight = 40

/** The scroll position after a key press, as in a window; undefined for a key that does not scroll. */
export function scrollTopByKey(
  { key, shiftKey, ...others }: Press,
  { scrollTop, clientHeight, scrollHeight }: Scrolled,
) {
  if (others.ctrlKey || others.altKey || others.metaKey) return
  // A page scroll keeps one line of the previous screen.
  const screen = clientHeight - lineHeight
  const tops: Record<string, number> = {
    ArrowUp: scrollTop - lineHeight,
    ArrowDown: scrollTop + lineHeight,
    PageUp: scrollTop - screen,
    PageDown: scrollTop + screen,
    ' ': scrollTop + (shiftKey ? -screen : screen),
    Home: 0,
    End: scrollHeight,
  }
  return tops[key]
}
