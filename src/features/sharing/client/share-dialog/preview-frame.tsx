import { type KeyboardEvent, useRef } from 'react'
import { ScrollArea } from '#ui/scroll-area.tsx'
import { scrollTopByKey } from './scroll-top-by-key.ts'

/**
 * The public page, only to be looked at: nothing runs in there, it may fetch the owner's own pictures alone, and its links
 * lead nowhere. The focus stays outside too, since Escape would not come out; the keys that scroll are passed on.
 */
export function PreviewFrame({ html }: { html: string }) {
  const frameRef = useRef<HTMLIFrameElement>(null)
  function scroll(event: KeyboardEvent) {
    const page = frameRef.current?.contentDocument?.scrollingElement
    if (!page) return
    const top = scrollTopByKey(event, page)
    if (top === undefined) return
    event.preventDefault()
    page.scrollTop = top
  }
  return (
    <ScrollArea label="Preview" onKeyDown={scroll} className="size-full rounded-md">
      <iframe
        ref={frameRef}
        title="Preview of the public page"
        tabIndex={-1}
        sandbox="allow-same-origin"
        srcDoc={html}
        className="block size-full rounded-md border border-line bg-surface"
      />
    </ScrollArea>
  )
}
