import { z } from 'zod'
import { ConversionTarget, CutOutFormat, Quality } from '#features/conversion/contract.ts'
import { defaultQuality } from '#features/conversion/limits.ts'
import {
  CountQuery,
  Description,
  Id,
  Media,
  MediaIds,
  NamePattern,
  NewName,
  OutcomeOfMany,
  ReviewedNames,
  Tag,
} from '#features/media/contract.ts'
import { maxItemsAtOnce, maxTags } from '#features/media/limits.ts'
import { Search } from '#features/media/search-contract.ts'
import { FileField, RunId, route } from '#platform/contract.ts'
import { editableColumns, maxBaseNameLength, maxMerged, maxPrefixLength } from './limits.ts'

const Selected = z.object({ mediaIds: MediaIds, runId: RunId.optional() })

/** The response of every bulk call; `changeId` is set if the change can be undone. */
export const BulkOutcome = OutcomeOfMany.extend({ message: z.string(), changeId: z.number().optional() })
export type BulkOutcome = z.infer<typeof BulkOutcome>

export const exportTypes = {
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  pdf: 'application/pdf',
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  md: 'text/markdown; charset=utf-8',
} as const
export type ExportFormat = keyof typeof exportTypes
const ExportFormat = z.enum(Object.keys(exportTypes) as ExportFormat[], 'must be docx, pdf, csv, xlsx or md')

export const Change = z.object({
  id: z.number(),
  kind: z.enum(['rename', 'tags', 'description', 'membership', 'copy', 'replacement', 'table', 'merge', 'tag-edit']),
  title: z.string(),
  itemCount: z.number(),
  createdAt: z.string(),
  undoneAt: z.string().nullable(),
})
export type Change = z.infer<typeof Change>

/** A long run in progress, whether or not a page still waits for its response. */
const RunUnderWay = z.object({
  runId: z.string(),
  title: z.string(),
  done: z.number(),
  total: z.number(),
  createdAt: z.string(),
})
export type RunUnderWay = z.infer<typeof RunUnderWay>

/** An alt text has a column for each language. */
const EditableColumn = z.union(
  [z.enum(editableColumns), z.string().regex(/^alt_[A-Za-z0-9-]{2,35}$/)],
  'must be a column that can be changed',
)
const ChangedCell = z.object({ column: EditableColumn, before: z.string(), after: z.string() })

/** How an edited table differs from the items; rows are counted as spreadsheets do. */
export const TableDifferences = z.object({
  changed: z.array(
    z.object({
      id: z.number(),
      row: z.number(),
      filename: z.string(),
      thumbnailUrl: z.string(),
      cells: z.array(ChangedCell),
    }),
  ),
  unchanged: z.number(),
  unknown: z.array(z.object({ row: z.number(), id: z.number() })).describe('No items of yours'),
  bad: z.array(
    z.object({
      row: z.number(),
      id: z.number().nullable(),
      column: z.string(),
      value: z.string(),
      message: z.string(),
    }),
  ),
})
export type TableDifferences = z.infer<typeof TableDifferences>

/** A reviewed row; `before` is compared once more. */
export const TableChange = z.object({ id: Id, cells: z.array(ChangedCell).min(1).max(100) })

const Prefix = z.string().trim().max(maxPrefixLength, `A prefix can have up to ${maxPrefixLength} characters.`)

/** What a snippet for a website needs of an item. */
const PublishedMedia = Media.pick({
  id: true,
  filename: true,
  type: true,
  mimeType: true,
  width: true,
  height: true,
  isAnimated: true,
  thumbhash: true,
  altTexts: true,
  isDecorative: true,
  userDescription: true,
  aiDescription: true,
}).extend({ publicUrl: z.string(), fileUrl: z.string() })

export const bulkApi = {
  rename: route({
    method: 'POST',
    path: '/api/media/bulk-rename',
    isLong: true,
    summary: 'Rename many items: {prefix}{baseName}-{n}, {prefix}{current name}, or web names by a pattern',
    body: Selected.extend({
      baseName: z.string().trim().max(maxBaseNameLength).optional(),
      prefix: Prefix.optional(),
      pattern: NamePattern.optional().describe(
        'Web names like "{website}-{subject}"; empty: the pattern of the website, or that one',
      ),
      collectionId: Id.optional().describe('Whose name and website the pattern uses; absent: the first of each item'),
      preview: z.boolean().default(false).describe('With a pattern: only returns the names'),
      names: ReviewedNames.max(maxItemsAtOnce).optional().describe('The names of a reviewed preview, applied as given'),
      renameAddresses: z.boolean().default(false).describe('Public addresses follow the names; earlier ones redirect'),
    }),
    response: BulkOutcome.extend({
      names: z.array(NewName).optional().describe('Of a preview'),
      pattern: z.string().optional().describe('Of a preview'),
    }),
  }),
  convertToWebp: route({
    method: 'POST',
    path: '/api/media/bulk-convert-webp',
    isLong: true,
    summary: 'Convert many images to WebP, JPEG or AVIF, or make them smaller',
    body: Selected.extend({
      ...ConversionTarget.shape,
      quality: Quality.default(defaultQuality),
      deleteOriginal: z.boolean().default(false),
    }),
    response: BulkOutcome.extend({
      formattedSavings: z.string(),
      savedBytes: z.number(),
      unchanged: z.number(),
      left: z.array(z.number()).describe('Not processed when the run was stopped'),
    }),
  }),
  removeBackground: route({
    method: 'POST',
    path: '/api/media/bulk-remove-background',
    isLong: true,
    summary: 'Add copies of many images without their backgrounds',
    body: Selected.extend({ format: CutOutFormat.default('webp') }),
    response: BulkOutcome.extend({ left: z.array(z.number()).describe('Not processed when the run was stopped') }),
  }),
  addTags: route({
    method: 'POST',
    path: '/api/media/bulk-add-tags',
    isLong: true,
    summary: 'Add tags to many items',
    body: Selected.extend({
      tags: z.array(Tag).min(1, 'Please enter at least one tag.').max(50, 'Add up to 50 tags at a time.'),
    }),
    response: BulkOutcome.extend({ summary: OutcomeOfMany.shape.summary.extend({ addedTags: z.number() }) }),
  }),
  removeTags: route({
    method: 'POST',
    path: '/api/media/bulk-remove-tags',
    isLong: true,
    summary: 'Remove tags from many items',
    body: Selected.extend({
      tags: z
        .array(Tag)
        .min(1, 'Please choose at least one tag.')
        .max(maxTags, `Remove up to ${maxTags} tags at a time.`),
    }),
    response: BulkOutcome.extend({ summary: OutcomeOfMany.shape.summary.extend({ removedTags: z.number() }) }),
  }),
  describe: route({
    method: 'POST',
    path: '/api/media/bulk-description',
    isLong: true,
    summary: 'Set the description of many items',
    body: Selected.extend({ description: Description.min(1, 'Please enter a description.') }),
    response: BulkOutcome,
  }),
  takeOut: route({
    method: 'POST',
    path: '/api/media/bulk-remove-from-collection',
    isLong: true,
    summary: 'Remove many items from a collection; the items are kept',
    body: Selected.extend({ collectionId: Id }),
    response: BulkOutcome,
  }),
  remove: route({
    method: 'POST',
    path: '/api/media/bulk-delete',
    isLong: true,
    summary: 'Permanently delete many items',
    body: Selected.extend({
      onlyTrashed: z.boolean().default(false).describe('Items restored from the trash in the meantime are kept'),
    }),
    response: BulkOutcome,
  }),
  makePublic: route({
    method: 'POST',
    path: '/api/media/bulk-public',
    isLong: true,
    summary: 'Create public URLs for many items',
    body: Selected,
    response: BulkOutcome.extend({
      urls: z.array(PublishedMedia),
    }),
  }),
  copy: route({
    method: 'POST',
    path: '/api/media/bulk-copy',
    isLong: true,
    summary: 'Duplicate many items',
    body: Selected,
    success: 201,
    response: BulkOutcome.extend({ copied: z.number(), media: z.array(Media) }),
  }),
  merge: route({
    method: 'POST',
    path: '/api/media/merge',
    summary:
      'Merge duplicates: the others move to the trash, and the kept item takes over their tags, collections, missing texts and public URLs',
    body: z.object({
      keptId: Id,
      mediaIds: z
        .array(Id, 'Select the items to merge.')
        .min(1, 'Select at least one item to merge.')
        .max(maxMerged, `At most ${maxMerged} items can be merged at once.`),
    }),
    response: z.object({ message: z.string(), changeId: z.number() }),
  }),
  export: route({
    method: 'POST',
    path: '/api/media/export',
    summary: 'Export a document about many items: docx, pdf, csv, xlsx or md; csv and xlsx can be edited and imported',
    body: z.object({ mediaIds: MediaIds, format: ExportFormat }),
    file: Object.values(exportTypes),
    response: z.never(),
  }),
  importTable: route({
    method: 'POST',
    path: '/api/media/import-table',
    summary:
      'Compare an edited table with your items (multipart, field "file": csv or xlsx, up to 20 MB and 10,000 rows). Nothing is changed, and empty cells say nothing',
    fields: z.object({ file: FileField }),
    response: TableDifferences,
  }),
  applyTable: route({
    method: 'POST',
    path: '/api/media/apply-table',
    isLong: true,
    summary: 'Apply reviewed rows of an imported table as one change that can be undone',
    body: z.object({
      rows: z.array(TableChange, 'Select at least one row.').min(1, 'Select at least one row.').max(maxItemsAtOnce),
      name: z.string().trim().max(200).default('table').describe('The name of the file, for the history'),
      runId: RunId.optional(),
    }),
    response: BulkOutcome,
  }),
  prepareDownload: route({
    method: 'POST',
    path: '/api/media/download',
    summary: 'Prepare a ZIP of many originals; its URL is valid for one hour',
    body: z.object({ mediaIds: MediaIds }),
    success: 201,
    response: z.object({ downloadUrl: z.string(), items: z.number(), bytes: z.number() }),
  }),
  download: route({
    method: 'GET',
    path: '/api/media/download/:id',
    summary: 'Download a prepared ZIP',
    params: z.object({ id: z.uuid() }),
    file: ['application/zip'],
    response: z.never(),
  }),
  selectMatching: route({
    method: 'POST',
    path: '/api/media/matching-ids',
    summary: 'List the ids of all items that match a filter, up to 10,000',
    body: z.object({
      search: Search.optional(),
      collectionId: Id.optional(),
      type: z.enum(['image', 'video']).optional(),
      favorite: z.boolean().optional(),
      trashed: z.boolean().optional(),
    }),
    response: z.object({ ids: z.array(z.number()) }),
  }),
  recentUploads: route({
    method: 'GET',
    path: '/api/media/recent-uploads',
    summary: 'List ids and times of the newest items, up to 10,000, for smart selection',
    query: CountQuery,
    response: z.object({ media: z.array(z.object({ id: z.number(), createdAt: z.string() })) }),
  }),
  recordMove: route({
    method: 'POST',
    path: '/api/history/moves',
    summary: 'Record that items were added to a collection, so that it can be undone',
    body: z.object({ collectionId: Id, mediaIds: MediaIds }),
    success: 201,
    response: Change,
  }),
  history: route({
    method: 'GET',
    path: '/api/history',
    summary: 'List the bulk changes of the last 30 days, newest first',
    query: z.object({ limit: z.coerce.number().int().min(1).max(10_000).default(200) }),
    response: z.object({
      changes: z.array(Change),
      underWay: z.array(RunUnderWay).describe('Running conversions; stop them with POST /api/bulk-runs/{runId}/cancel'),
    }),
  }),
  undo: route({
    method: 'POST',
    path: '/api/history/:id/undo',
    summary: 'Undo a bulk change, except for items changed since',
    params: z.object({ id: Id }),
    response: z.object({ message: z.string(), undone: z.number(), kept: z.number() }),
  }),
  cancel: route({
    method: 'POST',
    path: '/api/bulk-runs/:runId/cancel',
    summary: 'Stop a long run after the current item',
    params: z.object({ runId: z.string().max(64) }),
    response: z.object({ message: z.string() }),
  }),
}
