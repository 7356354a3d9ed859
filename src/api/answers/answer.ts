import type { AnswerHeaders } from './headers.ts'

export interface Answer {
  status: number
  headers: AnswerHeaders
  /** Decoded; at most `maxBodyBytes`. */
  body: Buffer
}
