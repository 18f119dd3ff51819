import type { Generated } from 'kysely'
import type { Counter, Nullable } from '#platform/server/db/column-types.ts'

declare module '#platform/server/db/tables.ts' {
  interface Tables {
    ai_results: {
      sha256: string
      provider: string
      model: string
      version: string
      result: string
      tokens: Counter
      took_ms: Counter
      created_at: number
    }
    embeddings: { sha256: string; vector: Uint8Array }
    seen: { id: Generated<number>; sha256: string; vector: Uint8Array }
    meanings: { media_id: number; words_hash: string; vector: Uint8Array }
    sketches: {
      id: Generated<number>
      kind: 'picture' | 'words'
      media_id: number
      owner_id: number
      bits: Uint8Array
    }
    media_analyses: {
      id: Generated<number>
      media_id: number
      run_key: Nullable<string>
      provider: string
      model: string
      version: string
      replaced: string
      created_at: number
    }
    ai_failures: { media_id: number; code: string; status: number; message: string; failed_at: number }
    ai_usage: { month: string; owner_id: number; calls: number }
    ai_claims: { sha256: string; holder: string; held_until: number }
  }
}
