import type { Db } from '#platform/server/db/tables.ts'
import type { Proposal, ProposalChoice } from '../../contract.ts'

/** Every page asks for the reviews, so of a longer review only these items are compared; the others count as changes. */
export const maxCompared = 1000

/** What a review needs to know about one kind of suggestions. */
export type Suggestions<T extends { choice: { isRejected: boolean } }> = {
  /** Of all items of the run, or of one. */
  list(db: Db, mediaId?: number): Promise<T[]>
  /** At most `maxCompared` that may turn out to change nothing. */
  listComparable(db: Db): Promise<T[]>
  /** Those that would not change their item in its current state. */
  findUnchanged(items: T[]): Promise<Set<T>>
  save(transaction: Db, item: T, choice: ProposalChoice): Promise<void>
  describe(items: T[], origin: string): Promise<Proposal[]>
}
