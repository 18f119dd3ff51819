import { useEffect, useRef } from 'react'
import { openAsDocument } from '#features/sharing/client/open-as-document.ts'

/** A public page that is opened inside the application: loads it from the server as a separate document. */
export function PublicScreen() {
  const rootRef = useRef<HTMLDivElement>(null)
  useEffect(() => openAsDocument(rootRef.current!), [])
  return <div ref={rootRef} />
}
