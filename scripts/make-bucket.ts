import { CreateBucketCommand, HeadBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { loadConfig } from '#platform/server/config.ts'
import { readEnvFile } from '#platform/server/env-file.ts'

/** `node scripts/make-bucket.ts`: makes the bucket that the S3 settings name, when it is not there yet. For `compose.yaml`. */
try {
  readEnvFile()
  const { s3 } = loadConfig()
  if (!s3) throw new Error('S3_BUCKET is missing.')
  const { bucket: Bucket, region, endpoint, forcePathStyle, accessKeyId, secretAccessKey } = s3
  const credentials = accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined
  const client = new S3Client({ region, endpoint, forcePathStyle, credentials })
  const isThere = await client.send(new HeadBucketCommand({ Bucket })).then(
    () => true,
    (error) => {
      if (error.$metadata?.httpStatusCode === 404) return false
      throw error
    },
  )
  if (!isThere) await client.send(new CreateBucketCommand({ Bucket }))
  console.log(isThere ? `The bucket ${Bucket} is there.` : `The bucket ${Bucket} was made.`)
} catch (error) {
  console.error(`The bucket could not be made: ${(error as Error).message}`)
  process.exitCode = 1
}
