import { Select } from '#ui/forms/select.tsx'
import type { ViewedMedia } from '../../contract.ts'
import { useSaveMedia } from '../mutations.ts'

const choices = [
  { value: 'default', label: 'Search engines: default' },
  { value: 'listed', label: 'Search engines may list it' },
  { value: 'unlisted', label: 'Search engines may not list it' },
]

/** Whether search engines may list the public page of the item. */
export function IndexingChoice({ media: { id, isIndexed } }: { media: ViewedMedia }) {
  const save = useSaveMedia()
  if (isIndexed === undefined) return null
  const shown = save.isPending ? save.variables?.patch.isIndexed : isIndexed
  return (
    <Select
      size="sm"
      label="Search engines"
      className="mt-2"
      value={shown ? 'listed' : shown === false ? 'unlisted' : 'default'}
      onValueChange={(choice) =>
        save.mutate({ id, patch: { isIndexed: choice === 'default' ? null : choice === 'listed' } })
      }
      options={choices}
    />
  )
}
