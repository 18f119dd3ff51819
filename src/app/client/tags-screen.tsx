import { useUndo } from '#features/bulk-actions/client/bulk-mutations.ts'
import { TagsPage } from '#features/tags/client/tags-page.tsx'

/** The tags, whose changes are undone as in the history. */
export function TagsScreen() {
  const undo = useUndo()
  return <TagsPage undo={(changeId) => undo.mutate(changeId)} />
}
