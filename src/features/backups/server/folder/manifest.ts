import { z } from 'zod'

export const manifestFormat = 'albumen-backup'

/** What a backup says about itself; in its folder, and first in its ZIP file. */
export const Manifest = z.object({
  format: z.literal(manifestFormat),
  version: z.literal(1),
  id: z.string().max(100),
  type: z.enum(['automatic', 'manual']),
  slot: z.string().max(100).nullable(),
  note: z.string().max(500).nullable(),
  createdAt: z.iso.datetime(),
  app: z.string().max(50),
  schema: z.number().int(),
  users: z.number().int(),
  media: z.number().int(),
  collections: z.number().int(),
  /** Files that the rows need, those that the library had lost already, and the bytes of the others. */
  files: z.number().int(),
  missingFiles: z.number().int(),
  fileBytes: z.number().int(),
  newBytes: z.number().int(),
  database: z.object({ bytes: z.number().int().positive(), sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
  verifiedAt: z.iso.datetime(),
})
export type Manifest = z.infer<typeof Manifest>
