import type { startS3TestServer } from '#engines/storage/s3-test-server.ts'

/** The settings for the bucket of a test server. */
export const s3Settings = ({
  options: { bucket, endpoint, accessKeyId, secretAccessKey },
}: Pick<Awaited<ReturnType<typeof startS3TestServer>>, 'options'>) => ({
  S3_BUCKET: bucket,
  S3_ENDPOINT: endpoint,
  S3_ACCESS_KEY_ID: accessKeyId,
  S3_SECRET_ACCESS_KEY: secretAccessKey,
  S3_FORCE_PATH_STYLE: '1',
})
