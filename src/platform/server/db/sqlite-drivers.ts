import { type Dialect, type Driver, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'

/** SQLite as Kysely knows it, through a driver of our own. */
export function sqliteDialectWith(createDriver: () => Driver): Dialect {
  return {
    createAdapter: () => new AtOnceAdapter(),
    createDriver,
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

/** Kysely would let one query through at a time; here the driver says who waits for whom. */
class AtOnceAdapter extends SqliteAdapter {
  override get supportsMultipleConnections() {
    return true
  }
}
