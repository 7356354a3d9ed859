import { namedEncodings } from '../answers/decode.ts'
import { type AnswerHeaders, header } from '../answers/headers.ts'

/**
 * How to know that a body is complete: by its length, by the last chunk of the chunked form, or not at all,
 * because it ends with the connection.
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

/** Whether the body of an answer can be a file, by its status and headers. */
export function mayBeFile(status: number, headers: AnswerHeaders): boolean {
  return status === 200 && plainBytes(headers) && !isMarkup(headers)
}

/** An error may be JSON, even in a 200. */
export function mayBeError(headers: AnswerHeaders): boolean {
  return /json/i.test(header(headers, 'content-type') ?? '')
}

export function plainBytes(headers: AnswerHeaders): boolean {
  return namedEncodings(headers).length === 0
}

export function isMarkup(headers: AnswerHeaders): boolean {
  return /\bhtml\b/i.test(header(headers, 'content-type') ?? '')
}

/** The most bytes of an error in a 200. */
export const MOST_ERROR_BYTES = 4_096
