import { AsyncLocalStorage } from 'node:async_hooks'
import { Kysely, type Transaction, type TransactionBuilder } from 'kysely'
import { AppError } from '../../errors.ts'
import type { Db, Tables } from './tables.ts'

/** Throws a `ChangeRefused` when the work that opens this transaction may not write any more. */
export type ChangeCheck = (transaction: Db) => Promise<void>

/** Refused for a reason that passes: the same work may begin again from its start. */
export class ChangeRefused extends AppError {}

const current = new AsyncLocalStorage<{ check?: ChangeCheck }>()

/**
 * [Note: Every change is checked]
 * A request or a job runs inside `asChange`, and until it ends each transaction that it opens begins with its check. So the
 * protection cannot be forgotten by a feature, and no feature hands it on.
 */
export async function asChange<T>(check: ChangeCheck | undefined, work: () => Promise<T> | T): Promise<T> {
  const change = { check }
  try {
    return await current.run(change, work)
  } finally {
    // What the work started and did not wait for, such as a timer, inherits the context and may outlive it by hours.
    change.check = undefined
  }
}

/** For work of another kind that a request happens to start: the queue, or the transaction that replaces the library. */
export const outsideChange = <T>(work: () => T): T => current.run({}, work)

/** For work that writes nothing and takes long: throws if a transaction would be refused by now. */
export async function checkChange(db: Db) {
  await current.getStore()?.check?.(db)
}

/** A database whose transactions begin with the check of the request or job that opens them. */
export class CheckedKysely extends Kysely<Tables> {
  override transaction(): TransactionBuilder<Tables> {
    const builder = super.transaction()
    const execute = builder.execute.bind(builder)
    builder.execute = <T>(work: (transaction: Transaction<Tables>) => Promise<T>) =>
      execute(async (transaction) => {
        await checkChange(transaction)
        return work(transaction)
      })
    return builder
  }
}
