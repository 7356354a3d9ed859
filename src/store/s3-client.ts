import { S3Client } from '@aws-sdk/client-s3'
import type { Clock } from '../core/time/clock.ts'

export interface S3Options {
  bucket: string
  region: string
  /** Undefined: the provider's own address for the region. */
  endpoint: string | undefined
  /** Put before each name. */
  prefix: string
  account: string
  accessKeyId: string
  secretAccessKey: string
  /** Undefined: no object lock is asked for. */
  lockDays: number | undefined
  /** Drafts lie here, in a folder of their own for each account. */
  temporaryDirectory: string
  clock: Clock
  limits?: Partial<S3Limits>
}

export interface S3Limits {
  connectTimeoutMs: number
  /** Until the answer begins; the whole of a request's body is sent before. */
  requestTimeoutMs: number
  idleTimeoutMs: number
  /** Of one request, the first included. */
  tries: number
  /** Larger files go in parts of this size; the protocol wants 5 MiB at least, and takes 10,000 of them. */
  partBytes: number
}

export const S3_LIMITS: S3Limits = {
  connectTimeoutMs: 10_000,
  requestTimeoutMs: 120_000,
  idleTimeoutMs: 60_000,
  tries: 4,
  partBytes: 16 * 2 ** 20,
}

/** What an operation on the bucket is given. */
export interface S3Access {
  client: S3Client
  options: S3Options
  limits: S3Limits
  /** The bucket, for messages. */
  place: string
  /** Before each name of the account: `<prefix>/<account>/`. */
  root: string
}

/**
 * The client is told everything that it would otherwise look for in the environment, in files of the home
 * directory or at the machine's metadata service: where to send, as whom, how often and how long.
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
