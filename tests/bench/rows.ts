import { alike } from './alike.ts'
import { archive, backup } from './backup.ts'
import { conversion } from './conversion.ts'
import { ingest } from './ingest.ts'
import { largeUpload } from './large-upload.ts'
import { list, search } from './listing.ts'
import { publicPage } from './public-page.ts'
import type { Row } from './row.ts'
import { script } from './scripts.ts'
import { start } from './start.ts'
import { thumbnail } from './thumbnails.ts'
import { video } from './video.ts'

/** In the order of the table; the names are what `npm run bench -- name` takes. */
export const rows: Record<string, Row> = {
  ingest,
  convert: conversion,
  upload: largeUpload,
  list,
  search,
  alike,
  thumbnail,
  public: publicPage,
  video,
  backup,
  archive,
  script,
  start,
}
