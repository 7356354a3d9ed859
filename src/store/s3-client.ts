import { S3Client } from '@aws-sdk/client-s3'
import type { Clock } from '../core/time/clock.ts'

export interface S3Options {
  bucket: string
  region: string
  /** Undefined for the provider's default address of the region. */
  endpoint: string | undefined
  /** Prefix of every object name. */
  prefix: string
  account: string
  accessKeyId: string
  secretAccessKey: string
  /** Days of object lock for each file; undefined for no lock. */
  lockDays: number | undefined
  /** The directory for drafts, with one folder per account. */
  temporaryDirectory: string
  clock: Clock
  limits?: Partial<S3Limits>
}

export interface S3Limits {
  connectTimeoutMs: number
  /** The time until the answer begins, including the upload of the request's body. */
  requestTimeoutMs: number
  idleTimeoutMs: number
  /** Attempts for one request, including the first. */
  tries: number
  /** Larger files are sent in parts of this size (5 MiB or more), or in larger ones if over 10,000 result. */
  partBytes: number
}

export const S3_LIMITS: S3Limits = {
  connectTimeoutMs: 10_000,
  requestTimeoutMs: 120_000,
  idleTimeoutMs: 60_000,
  tries: 4,
  partBytes: 16 * 2 ** 20,
}

/** The client, bucket and names for operations on the bucket. */
export interface S3Access {
  client: S3Client
  options: S3Options
  limits: S3Limits
  /** The bucket, as messages name it. */
  place: string
  /** Prefix of the account's object names: `<prefix>/<account>/`. */
  root: string
}

/**
 * Sets every option that the client would otherwise look up in the environment, in the home directory or at
 * the machine's metadata service, such as address, credentials and retries.
 */
export function openAccess(options: S3Options): S3Access {
  const limits = { ...S3_LIMITS, ...options.limits }
  const { region, endpoint, accessKeyId, secretAccessKey } = options
  const agent = { keepAlive: true, maxSockets: 16 }
  const client = new S3Client({
    region,
    ...(endpoint === undefined
      ? { ignoreConfiguredEndpointUrls: true }
      : { endpoint, forcePathStyle: true }),
    credentials: { accessKeyId, secretAccessKey },
    defaultsMode: 'standard',
    retryMode: 'standard',
    maxAttempts: limits.tries,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    useFipsEndpoint: false,
    useDualstackEndpoint: false,
    useArnRegion: false,
    disableS3ExpressSessionAuth: true,
    authSchemePreference: ['sigv4'],
    sigv4aSigningRegionSet: [region],
    userAgentAppId: 'callsheet',
    requestHandler: {
      connectionTimeout: limits.connectTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      throwOnRequestTimeout: true,
      socketTimeout: limits.idleTimeoutMs,
      httpAgent: agent,
      httpsAgent: agent,
    },
  })
  const { bucket, prefix, account } = options
  return { client, options, limits, place: `bucket ${bucket}`, root: `${prefix}/${account}/` }
}

export function target({ options: { bucket } }: S3Access, key: string) {
  return { Bucket: bucket, Key: key }
}
