import {
  type Dialect,
  type Driver,
  type LimitNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'

/** SQLite as Kysely knows it, through a driver of our own. */
export function sqliteDialectWith(createDriver: () => Driver): Dialect {
  return {
    createAdapter: () => new AtOnceAdapter(),
    createDriver,
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SteadyCompiler(),
  }
}

/** Kysely would let one query through at a time; here the driver says who waits for whom. */
class AtOnceAdapter extends SqliteAdapter {
  override get supportsMultipleConnections() {
    return true
  }
}

/**
 * [Note: A limit is worked out]
 * SQLite plans by the number that stands as a limit. Where that is a value of its own, it plans anew each time the value
 * is given, so that a prepared statement is prepared at every use; a sum it does not look into.
 */
class SteadyCompiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode) {
    super.visitLimit(node)
    this.append(' + 0')
  }
}
