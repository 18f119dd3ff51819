import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { LibraryView } from '../library-view.ts'
import { addressAfter, useLibraryView } from './use-library-view.ts'

/** Links from an item to another list, with the layout, page size and order of the current one. */
export function ListLink(props: { to: Partial<LibraryView>; className: string; children: ReactNode }) {
  const { to, className, children } = props
  const [view] = useLibraryView()
  const address = addressAfter(view, to)
  return (
    // The new list starts at its top.
    <Link href={address} onClick={() => window.scrollTo(0, 0)} className={className}>
      {children}
    </Link>
  )
}
