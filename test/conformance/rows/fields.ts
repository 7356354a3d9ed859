import type { Fact } from '../fact.ts'
import { NUMBER_FIELDS } from './number-fields.ts'
import { PERSON_FIELDS } from './person-fields.ts'
import { VIDEO_FIELDS } from './video-fields.ts'
import { WHITEBOARD_FIELDS } from './whiteboard-fields.ts'

/** A documented field: in which answers it stands, and which stream keeps it. */
export interface FieldFact extends Fact {
  /** Path within the answer of each operation that shows it; lists count for what is in them. */
  shown: { operation: string; path: string }[]
  /** Path within the record of the stream. */
  field: string
  stream: string | undefined
}

export const FIELDS: readonly FieldFact[] = [
  PERSON_FIELDS,
  WHITEBOARD_FIELDS,
  VIDEO_FIELDS,
  NUMBER_FIELDS,
].flatMap(readFields)

/**
 * `= section stream operation:place ...`, then lines of a row and fields. A place is where the records stand
 * in the answer; without one they are the answer. The stream is `-` where none keeps the fields.
 */
function readFields(table: string): FieldFact[] {
  return table
    .trim()
    .split(/^= /m)
    .filter((block) => block !== '')
    .flatMap((block) => {
      const [head = '', ...lines] = block.trimEnd().split('\n')
      const [section = '', stream, ...places] = head.split(' ')
      return lines.flatMap((line) => {
        const [at, ...fields] = line.split(' ')
        return fields.map((field) => ({
          id: `${section}.${places.map((place) => place.split(':')[0]).join('+')}.${field}`,
          section,
          at: Number(at),
          says: `field ${field}`,
          held: { by: 'check' } as const,
          shown: places.map((place) => {
            const [operation = '', within = ''] = place.split(':')
            return { operation, path: within === '' ? field : `${within}.${field}` }
          }),
          field,
          stream: stream === '-' ? undefined : stream,
        }))
      })
    })
}
