import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
// Types only: the threads that read load this file, and loading Kysely would take each of them a quarter of a second.
import type { SqliteDatabase, SqliteStatement } from 'kysely'

const maxStatements = 500

/** Shows `node:sqlite` to Kysely, and keeps prepared statements: preparing costs more than most point reads. */
export function asKyselyDatabase(connection: DatabaseSync): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>()
  return {
    prepare(sql) {
      if (sql === 'rollback') return rollbackOf(connection)
      const statement = statements.get(sql) ?? asKyselyStatement(connection.prepare(sql))
      // Put last at every use, so that the first is the one that was not used for longest.
      statements.delete(sql)
      statements.set(sql, statement)
      if (statements.size > maxStatements) statements.delete(statements.keys().next().value!)
      return statement
    },
    close() {
      statements.clear()
      connection.close()
    },
  }
}

/** A full disk or an I/O error has ended the transaction already; the fault itself is what there is to tell. */
function rollbackOf(connection: DatabaseSync): SqliteStatement {
  const run = () => {
    if (connection.isTransaction) connection.exec('ROLLBACK')
    return { changes: 0, lastInsertRowid: 0 }
  }
  return { reader: false, run, all: () => [], iterate: () => [][Symbol.iterator]() }
}

function asKyselyStatement(statement: StatementSync): SqliteStatement {
  const values = (parameters: readonly unknown[]) => parameters as SQLInputValue[]
  const columns = statement.columns()
  statement.setReturnArrays(true)
  const toRow = rowMaker(columns.map(({ name }) => name))
  // What comes back are lists, as was asked for above; the types only know objects.
  const lists = (rows: unknown) => rows as unknown[][]
  return {
    reader: columns.length > 0,
    all: (parameters) => lists(statement.all(...values(parameters))).map(toRow),
    run: (parameters) => statement.run(...values(parameters)),
    *iterate(parameters) {
      for (const list of statement.iterate(...values(parameters)) as Iterable<unknown>) yield toRow(list as unknown[])
    },
  }
}

/**
 * A function that is one object literal: rows made by it share their shape, and a wide one costs a third less to make and
 * to read than those that `node:sqlite` puts together name by name.
 */
function rowMaker(names: string[]) {
  const fields = names.map((name, index) => `${JSON.stringify(name)}: list[${index}]`)
  return new Function('list', `return { ${fields.join(', ')} }`) as (list: unknown[]) => Record<string, unknown>
}
