import { StoreError } from '../core/errors.ts'

/**
 * Describes a failed call to the bucket in our words. The service's own message may quote the key or the
 * signed string. So only its code, status and region are reported, and the error does not become the cause.
 */
export function s3Error(error: unknown, tried: string): StoreError {
  if (error instanceof StoreError) return error
  const { code, status, region } = factsOf(error)
  const known = KNOWN.find(({ codes }) => codes.includes(code)) ?? byStatus(code, status)
  const said = [status, code].filter((part) => part !== undefined && part !== '').join(' ')
  const came = region === undefined ? known.came : `${known.came} (${region})`
  return new StoreError(known.as, { tried, came: `${came} [${said}]`, todo: known.todo })
}

/** Runs a call and describes its failure in our words. */
export async function wrapErrors<T>(tried: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw s3Error(error, tried)
  }
}

export function codeOf(error: unknown): string {
  return factsOf(error).code
}

export function statusOf(error: unknown): number | undefined {
  return factsOf(error).status
}

/** Returns true if the service does not offer a call; simple servers lack locks and the list of uploads. */
export function isNotOffered(error: unknown): boolean {
  const { code, status } = factsOf(error)
  return status === 501 || status === 405 || code === 'NotImplemented'
}

interface ErrorShape {
  name?: string
  code?: string
  $metadata?: { httpStatusCode?: number }
  $response?: { headers?: Record<string, string> }
}

function factsOf(error: unknown) {
  const { name = '', code = '', $metadata, $response } = (error ?? {}) as ErrorShape
  const region = $response?.headers?.['x-amz-bucket-region']
  return {
    code: clean(code === '' ? name : code),
    status: $metadata?.httpStatusCode,
    region: region !== undefined && MOVED.has(name) ? clean(region) : undefined,
  }
}

/** Codes are words; any other text could quote data and is left out of messages. */
function clean(code: string): string {
  return /^[\w.-]{1,60}$/.test(code) ? code : ''
}

interface Known {
  codes: readonly string[]
  as: string
  came: string
  todo: string
}

function byStatus(code: string, status: number | undefined): Omit<Known, 'codes'> {
  if (status === 401 || status === 403) return REFUSED
  if (status === 507) return FULL
  if (status !== undefined && (status >= 500 || status === 429)) return BUSY
  if (status === undefined && CERTIFICATE.test(code)) return UNTRUSTED
  if (status === undefined && /^(E[A-Z]+|TimeoutError)/.test(code)) return AWAY
  return {
    as: 'store_failed',
    came: 'the answer is not one that Callsheet expects of an S3 service',
    todo: 'check archive.s3.endpoint and archive.s3.bucket, then run again',
  }
}

const CERTIFICATE = /CERT|UNABLE_TO_VERIFY/
const UNTRUSTED = {
  as: 'store_unreachable',
  came: 'the certificate of the service is not valid, or its authority is unknown',
  todo: 'correct archive.s3.endpoint, or add a private authority with NODE_EXTRA_CA_CERTS',
}
const MOVED = new Set(['PermanentRedirect', 'AuthorizationHeaderMalformed', '301'])
const REFUSED = {
  codes: ['AccessDenied', 'Forbidden'],
  as: 'store_refused',
  came: 'the key in archive.s3 lacks the right that this call needs',
  todo: 'grant the key the rights to list, read, write and remove objects under the prefix',
}
const FULL = {
  codes: ['QuotaExceeded', 'XMinioStorageFull'],
  as: 'store_full',
  came: 'the store has no room for the file',
  todo: 'free some space, then run again; completed work is not repeated',
}
const BUSY = {
  codes: ['SlowDown', 'ServiceUnavailable', 'InternalError', 'OperationAborted', 'RequestTimeout'],
  as: 'store_unreachable',
  came: 'the service failed, also after retries',
  todo: 'run again later; completed work is not repeated',
}
const AWAY = {
  codes: ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EPIPE', 'ETIMEDOUT', 'TimeoutError'],
  as: 'store_unreachable',
  came: 'the service cannot be reached, or closed the connection',
  todo: 'check archive.s3.endpoint and the network, then run again; completed work is not repeated',
}

const KNOWN: readonly Known[] = [
  REFUSED,
  FULL,
  BUSY,
  AWAY,
  {
    codes: ['AllAccessDisabled', 'AccountProblem'],
    as: 'store_refused',
    came: 'the service has disabled the account or the bucket',
    todo: 'contact the support of the S3 service',
  },
  {
    codes: ['EntityTooLarge'],
    as: 'store_full',
    came: 'the file is larger than the bucket accepts',
    todo: "raise the bucket's size limit for objects, then run again",
  },
  {
    codes: ['NoSuchBucket'],
    as: 'store_missing',
    came: 'the bucket does not exist',
    todo: 'create the bucket, or correct archive.s3.bucket and archive.s3.endpoint',
  },
  {
    codes: ['InvalidObjectState'],
    as: 'store_cold',
    came: 'the object is in cold storage, and must be restored before it can be read',
    todo: 'restore the object, and remove any rule of the bucket that moves objects to cold storage',
  },
  {
    codes: ['InvalidAccessKeyId', 'SignatureDoesNotMatch', 'InvalidToken', 'ExpiredToken'],
    as: 'store_refused',
    came: 'the service does not accept the key',
    todo: 'correct archive.s3.accessKeyId and archive.s3.secretAccessKey',
  },
  {
    codes: ['RequestTimeTooSkewed'],
    as: 'store_refused',
    came: "the clock of this machine differs too much from the service's",
    todo: 'synchronize the clock of this machine, for example with NTP',
  },
  {
    codes: [...MOVED],
    as: 'store_refused',
    came: 'the bucket is in another region',
    todo: 'correct archive.s3.region',
  },
  {
    codes: [
      'BadDigest',
      'InvalidDigest',
      'XAmzContentSHA256Mismatch',
      'XAmzContentChecksumMismatch',
    ],
    as: 'store_damaged',
    came: 'the bytes changed on the way to the service',
    todo: 'run again; if it repeats, check what changes bytes between this machine and the service',
  },
  {
    codes: ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'ENOENT'],
    as: 'store_refused',
    came: 'the folder for drafts cannot be used',
    todo: 'make stateDirectory a folder that this user can write to',
  },
  {
    codes: ['EMFILE'],
    as: 'store_failed',
    came: 'the process has too many files open',
    todo: 'raise the limit of open files (ulimit -n)',
  },
  {
    codes: ['EIO'],
    as: 'store_failed',
    came: 'the disk with the folder for drafts reported an error',
    todo: 'check the disk of stateDirectory',
  },
]
