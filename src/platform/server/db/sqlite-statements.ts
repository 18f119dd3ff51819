import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { SqliteDatabase, SqliteStatement } from 'kysely'

const maxStatements = 500

/** Shows `node:sqlite` to Kysely, and keeps prepared statements: preparing costs more than most point reads. */
export function asKyselyDatabase(connection: DatabaseSync): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>()
  return {
    prepare(sql) {
      const known = statements.get(sql)
      if (known) return known
      if (statements.size >= maxStatements) statements.delete(statements.keys().next().value!)
      const statement = asKyselyStatement(connection.prepare(sql))
      statements.set(sql, statement)
      return statement
    },
    close() {
      statements.clear()
      connection.close()
    },
  }
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
