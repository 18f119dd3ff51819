import type { Send } from '../killable-server.ts'

/** The compared fields of an item, as its owner sees them. */
export type Item = {
  id: number
  filename: string
  hash: string
  size: number
  userDescription: string | null
  aiDescription: string | null
  tags: string[]
  isFavorite: boolean
  isTrashed: boolean
  slug: string | null
}

export type Shelf = {
  id: number
  name: string
  description: string | null
  /** In the owner's order, including items in the trash. */
  members: number[]
  coverId: number | null
  isPublic: boolean
  slug: string | null
  password: string | null
  isExpired: boolean
}

type Undo = { before: string | null; after: string | null }
export type Change = {
  id: number
  kind: 'rename' | 'description' | 'tags' | 'membership'
  items: Map<number, Undo>
  isUndone: boolean
}

export type Person = {
  id: number
  username: string
  password: string
  /** The sessions of the user. */
  sessions: Send[]
  items: Map<number, Item>
  shelves: Map<number, Shelf>
  changes: Change[]
  /** Old slugs that redirect to another one. */
  movedSlugs: Map<string, number>
}

export const visibleItems = ({ items }: Person) => [...items.values()].filter(({ isTrashed }) => !isTrashed)

export const shelvesOf = ({ shelves }: Person, id: number) =>
  [...shelves.values()].filter(({ members }) => members.includes(id))

export const visibleMembers = ({ items }: Person, { members }: Shelf) =>
  members.filter((id) => items.get(id)?.isTrashed === false)

/** Removes a permanently deleted item from the model. */
export function forgetItem(person: Person, id: number) {
  person.items.delete(id)
  for (const shelf of person.shelves.values()) shelf.members = shelf.members.filter((member) => member !== id)
  for (const { items } of person.changes) items.delete(id)
}

/** Like the server's duplicates: texts and tags are copied, but not favorite, trash or public link. */
export const copyOf = (item: Item, id: number, filename: string): Item => ({
  ...item,
  id,
  filename,
  tags: [...item.tags],
  isFavorite: false,
  isTrashed: false,
  slug: null,
})
