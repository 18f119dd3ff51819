import { archive, backup } from './backup.ts'
import { conversion } from './conversion.ts'
import { delivery } from './delivery.ts'
import { ingest } from './ingest.ts'
import { largeUpload } from './large-upload.ts'
import { list, search } from './listing.ts'
import { publicPage } from './public-page.ts'
import type { Row } from './row.ts'
import { script } from './scripts.ts'
import { similarity } from './similarity.ts'
import { start } from './start.ts'
import { thumbnail } from './thumbnails.ts'
import { video } from './video.ts'

/** In the order of the table; the keys are the arguments of `npm run bench -- <name>`. */
export const rows: Record<string, Row> = {
  ingest,
  convert: conversion,
  upload: largeUpload,
  list,
  search,
  similarity,
  thumbnail,
  delivery,
  public: publicPage,
  video,
  backup,
  archive,
  script,
  start,
}
