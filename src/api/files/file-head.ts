import { namedEncodings } from '../answers/decode.ts'
import { type AnswerHeaders, header } from '../answers/headers.ts'

/**
 * How one can tell that a body came whole: by its length, by the last chunk of the chunked form, or not at
 * all, because it just ends when the connection does.
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

/** Whether an answer's body can be a file at all, by its head. */
export function mayBeFile(status: number, headers: AnswerHeaders): boolean {
  return status === 200 && plainBytes(headers) && !isMarkup(headers)
}

/** An error may come as JSON, also inside a 200. */
export function mayBeError(headers: AnswerHeaders): boolean {
  return /json/i.test(header(headers, 'content-type') ?? '')
}

export function plainBytes(headers: AnswerHeaders): boolean {
  return namedEncodings(headers).length === 0
}

export function isMarkup(headers: AnswerHeaders): boolean {
  return /\bhtml\b/i.test(header(headers, 'content-type') ?? '')
}

/** The most that an error inside a 200 has. */
export const MOST_ERROR_BYTES = 4_096
