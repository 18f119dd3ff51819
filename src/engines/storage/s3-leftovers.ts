import { AbortMultipartUploadCommand, ListMultipartUploadsCommand, type S3Client } from '@aws-sdk/client-s3'
import { isMissing, isNotImplemented } from './s3-errors.ts'

type Leftovers = { Bucket: string; prefix: string; olderThanMs: number }

/**
 * Parts of an upload that a crash cut short are invisible in listings, yet they are paid for. Says how many went. Only where
 * our files lie: another program may use the same bucket, and take its time.
 */
export async function abortStaleUploads(client: S3Client, { prefix, ...leftovers }: Leftovers) {
  let aborted = 0
  for (const folder of ['blobs/', 'derived/'])
    aborted += await abortBelow(client, { ...leftovers, prefix: `${prefix}${folder}` })
  return aborted
}

async function abortBelow(client: S3Client, { Bucket, prefix, olderThanMs }: Leftovers) {
  const limit = Date.now() - olderThanMs
  let aborted = 0
  let marker: { KeyMarker?: string; UploadIdMarker?: string } | undefined = {}
  while (marker) {
    const page = await listUploads(client, { Bucket, Prefix: prefix, ...marker })
    for (const { Key, UploadId, Initiated } of page?.Uploads ?? []) {
      if (!Initiated || Initiated.getTime() > limit) continue
      await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId })).catch(ignoreMissing)
      aborted++
    }
    marker = page?.IsTruncated ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker } : undefined
  }
  return aborted
}

/** Null where the service does not know the call: then it has a clean-up of its own, or keeps no such parts. */
async function listUploads(client: S3Client, input: ConstructorParameters<typeof ListMultipartUploadsCommand>[0]) {
  try {
    return await client.send(new ListMultipartUploadsCommand(input))
  } catch (error) {
    if (isNotImplemented(error)) return null
    throw error
  }
}

function ignoreMissing(error: unknown) {
  if (!isMissing(error)) throw error
}
