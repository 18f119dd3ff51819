import { useEffect, useRef } from 'react'
import { openAsDocument } from '#features/sharing/client/open-as-document.ts'

/** A public page reached by a step inside the application: it is a document of its own, from the server. */
export function PublicScreen() {
  const rootRef = useRef<HTMLDivElement>(null)
  useEffect(() => openAsDocument(rootRef.current!), [])
  return <div ref={rootRef} />
}
