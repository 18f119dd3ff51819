import { CreateBucketCommand, HeadBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { loadConfig } from '#platform/server/config.ts'
import { readEnvFile } from '#platform/server/env-file.ts'

/** `node scripts/make-bucket.ts`: creates the bucket in the S3 settings if it does not exist. For `compose.yaml`. */
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
  console.log(isThere ? `The bucket ${Bucket} exists.` : `The bucket ${Bucket} was created.`)
} catch (error) {
  console.error(`The bucket could not be created: ${(error as Error).message}`)
  process.exitCode = 1
}
