import { type AnswerHeaders, header } from '../answers/headers.ts'
import { namedEncodings } from '../call/exchange.ts'

/**
 * How the end of a body is recognized: by its length, by its last chunk, or not at all, because the server
 * closes the connection.
 */
export type FileEnd = 'length' | 'chunked' | 'unknown'

export function fileEnd(headers: AnswerHeaders): FileEnd {
  if (header(headers, 'content-length') !== undefined) return 'length'
  const coding = header(headers, 'transfer-encoding') ?? ''
  return /(^|,)\s*chunked\s*$/i.test(coding) ? 'chunked' : 'unknown'
}

export function lengthOf(headers: AnswerHeaders): number | undefined {
  const length = header(headers, 'content-length')
  return length !== undefined && /^\d{1,15}$/.test(length) ? Number(length) : undefined
}

/** Returns true if the body of an answer can be a file, by its status and headers. */
export function mayBeFile(status: number, headers: AnswerHeaders): boolean {
  return status === 200 && plainBytes(headers) && !isMarkup(headers)
}

/** Returns true if the body is not encoded. No encoding was requested; chunked transfer is allowed. */
export function plainBytes(headers: AnswerHeaders): boolean {
  const codings = (header(headers, 'transfer-encoding') ?? '').toLowerCase().split(',')
  const isPlain = codings.every((coding) => /^\s*(?:chunked|identity)?\s*$/.test(coding))
  return isPlain && namedEncodings(headers).length === 0
}

export function isMarkup(headers: AnswerHeaders): boolean {
  return /\bhtml\b/i.test(header(headers, 'content-type') ?? '')
}

/** The largest body of a 200 that is checked for an error. */
export const MOST_ERROR_BYTES = 4_096
