import type { SlugKind } from '#features/media/server/tables.ts'
import type { Counter } from '#platform/server/db/column-types.ts'

declare module '#platform/server/db/tables.ts' {
  interface Tables {
    share_views: { kind: SlugKind; target_id: number; day: string; views: Counter }
    share_visitors: { kind: SlugKind; target_id: number; visitor: string; seen_until: number }
  }
}
