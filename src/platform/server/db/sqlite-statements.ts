import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
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
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...values(parameters)),
    run: (parameters) => statement.run(...values(parameters)),
    iterate: (parameters) => statement.iterate(...values(parameters)),
  }
}
