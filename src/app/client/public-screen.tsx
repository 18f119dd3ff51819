import { useEffect, useRef } from 'react'
import { useLocation } from 'wouter'
import { mountPublicPage } from './public.ts'

/** A public page reached from inside the application; from outside it is a document of its own (public.html). */
export function PublicScreen() {
  const [path] = useLocation()
  const rootRef = useRef<HTMLDivElement>(null)
  useEffect(() => {
    rootRef.current?.replaceChildren()
    mountPublicPage(rootRef.current!, path)
  }, [path])
  return <div ref={rootRef} />
}
