import {
  type Dialect,
  type Driver,
  type LimitNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'

/** Kysely's SQLite dialect with our own driver. */
export function sqliteDialectWith(createDriver: () => Driver): Dialect {
  return {
    createAdapter: () => new ConcurrentAdapter(),
    createDriver,
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new StableLimitCompiler(),
  }
}

/** Kysely's adapter runs one query at a time; here the driver decides which queries wait. */
class ConcurrentAdapter extends SqliteAdapter {
  override get supportsMultipleConnections() {
    return true
  }
}

/**
 * [Note: Limits are expressions]
 * SQLite's query planner looks at the value of a LIMIT parameter and prepares the statement again at every use. It does not
 * look into an expression, so `LIMIT ? + 0` stays prepared.
 */
class StableLimitCompiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode) {
    super.visitLimit(node)
    this.append(' + 0')
  }
}
