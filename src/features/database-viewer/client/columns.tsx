import type { ReactNode } from 'react'
import { Badge } from '#ui/badge.tsx'
import type { CollectionRow, MediaRow, RelationshipRow, UserRow } from '../contract.ts'
import { date, dimensions, size } from './formats.ts'

export type Column<Row> = {
  title: string
  /** The name that the server sorts by; a column without one cannot be sorted. */
  sort?: string
  isNumeric?: boolean
  /** By it a row is known. */
  isName?: boolean
  className?: string
  show: (row: Row) => ReactNode
}

const long = 'max-w-72 truncate'
/** As wide as its words: what is left belongs to the names. */
const narrow = 'w-px'

export const mediaColumns: Column<MediaRow>[] = [
  { title: 'ID', sort: 'id', isNumeric: true, show: ({ id }) => id },
  { title: 'Filename', sort: 'filename', isName: true, className: long, show: ({ filename }) => filename },
  { title: 'Type', sort: 'type', className: 'whitespace-nowrap', show: ({ mime_type }) => mime_type },
  { title: 'Size', sort: 'size', isNumeric: true, show: (row) => size(row.size) },
  { title: 'Dimensions', isNumeric: true, show: dimensions },
  { title: 'Created', sort: 'created_at', isNumeric: true, show: ({ created_at }) => date(created_at) },
  {
    title: 'Description',
    className: 'min-w-40 max-w-96 truncate',
    show: ({ ai_description, user_description }) => ai_description || user_description || '—',
  },
]

export const userColumns: Column<UserRow>[] = [
  { title: 'ID', sort: 'id', isNumeric: true, show: ({ id }) => id },
  { title: 'Username', sort: 'username', isName: true, className: long, show: ({ username }) => username },
  { title: 'Email', sort: 'email', className: long, show: ({ email }) => email ?? '—' },
  {
    title: 'Role',
    sort: 'is_admin',
    show: ({ is_admin }) => (is_admin ? <Badge tone="info">Admin</Badge> : <Badge>User</Badge>),
  },
  { title: 'Storage Used', sort: 'storage_used', isNumeric: true, show: ({ storage_used }) => size(storage_used) },
  { title: 'Created', sort: 'created_at', isNumeric: true, show: ({ created_at }) => date(created_at) },
]

export const collectionColumns: Column<CollectionRow>[] = [
  { title: 'ID', sort: 'id', isNumeric: true, show: ({ id }) => id },
  { title: 'Name', sort: 'name', isName: true, className: long, show: ({ name }) => name },
  { title: 'Owner', sort: 'user_id', className: 'whitespace-nowrap', show: ({ user_id }) => `User ${user_id}` },
  {
    title: 'Visibility',
    sort: 'is_public',
    show: ({ is_public }) => (is_public ? <Badge tone="success">Public</Badge> : <Badge>Private</Badge>),
  },
  { title: 'Slug', className: long, show: ({ public_slug }) => public_slug ?? '—' },
  { title: 'Views', sort: 'view_count', isNumeric: true, show: ({ view_count }) => view_count.toLocaleString('en') },
  { title: 'Created', sort: 'created_at', isNumeric: true, show: ({ created_at }) => date(created_at) },
]

export const relationshipColumns: Column<RelationshipRow>[] = [
  { title: 'Media ID', sort: 'media_id', isNumeric: true, className: narrow, show: ({ media_id }) => media_id },
  {
    title: 'Media Filename',
    sort: 'media_filename',
    isName: true,
    className: long,
    show: ({ media_filename }) => media_filename,
  },
  {
    title: 'Collection ID',
    sort: 'collection_id',
    isNumeric: true,
    className: narrow,
    show: ({ collection_id }) => collection_id,
  },
  {
    title: 'Collection Name',
    sort: 'collection_name',
    className: long,
    show: ({ collection_name }) => collection_name,
  },
]
