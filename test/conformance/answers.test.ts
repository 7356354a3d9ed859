import { beforeAll, describe, expect, it } from 'vitest'
import { operations } from '../../src/cli/operations.ts'
import type { Stream } from '../../src/core/stream.ts'
import { ALL_STREAMS } from '../sandbox/streams.ts'
import { gatherAnswers } from './answers.ts'
import type { Answers } from './asking.ts'
import { ENUMERATIONS } from './rows/enumerations.ts'
import { FIELDS } from './rows/fields.ts'
import { REQUEST_VALUES } from './rows/request-values.ts'
import { shownBy } from './shown.ts'

let answers: Answers
beforeAll(async () => {
  answers = await gatherAnswers()
})

describe('a field of the documents', () => {
  for (const { id, shown } of FIELDS)
    for (const { operation, path } of shown)
      it(`${id} is shown by ${operation}`, () => {
        expect(answers.get(operation)?.length ?? 0).toBeGreaterThan(0)
        expect(shownBy(answers, operation, path).length).toBeGreaterThan(0)
      })

  for (const { id, field, stream: name } of FIELDS.filter(({ stream }) => stream !== undefined))
    it(`${id} is kept by ${name}`, () => {
      const stream = ALL_STREAMS.find((one) => one.name === name)
      expect(stream === undefined ? name : keeps(stream, field)).toBe(true)
    })

  it('is of an operation that there is', () => {
    const known = new Set(operations.map(({ id }) => id))
    const called = FIELDS.flatMap(({ shown: places }) => places.map(({ operation }) => operation))
    expect(called.filter((id) => !known.has(id) && !id.startsWith('oauth.'))).toEqual([])
  })
})

describe('a list of values', () => {
  for (const { id, operation, path, values } of ENUMERATIONS)
    it(`${id}: all are shown, and no other`, () => {
      const shown = shownBy(answers, operation, path).filter((one) => one !== null && one !== '')
      expect([...new Set(shown.map(String))].toSorted()).toEqual(values.toSorted())
    })

  const kept = ENUMERATIONS.filter(({ stream }) => stream !== undefined)
  for (const { id, values, never, stream, column } of kept)
    it(`${id}: all are known to ${stream}, and no other`, () => {
      const known = ALL_STREAMS.find(({ name }) => name === stream)?.columns[column ?? '']?.known
      expect(known?.map(String).toSorted()).toEqual([...values, ...never].toSorted())
    })

  for (const { id, operation: name, values, body } of REQUEST_VALUES)
    it(`${id}: all are taken, and no other`, () => {
      const schema = operations.find((one) => one.id === name)?.body
      const taken = [...values, 'none-of-them', 99].filter(
        (value) => schema?.safeParse(body(value)).success,
      )
      expect(taken).toEqual(values)
    })
})

/** As a column of its name, of its path in one word or of its object, or among what is named besides. */
function keeps({ columns, also = [], transient }: Stream, field: string): boolean {
  const [first = '', ...rest] = field.split('.')
  const last = rest.at(-1) ?? first
  const whole = field.replaceAll('.', '_')
  const listed = also.includes(first)
  return whole in columns || first in columns || transient.includes(last) || listed
}
