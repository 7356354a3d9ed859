import fc from 'fast-check'
import { expect, test } from 'vitest'
import { boolean, type Column, date, durationSeconds, instant } from '../../src/core/column.ts'
import { integer, oneOf, text } from '../../src/core/column.ts'

const columns: Record<string, Column> = {
  text: text(),
  oneOf: oneOf(['good', 'bad']),
  integer: integer(),
  boolean: boolean(),
  instant: instant(),
  date: date(),
  durationSeconds: durationSeconds(),
}

const wire = fc.oneof(
  fc.string(),
  fc.constantFrom('2026-05-01T10:00:00Z', '2026-02-30T10:00:00Z', '2026-05-01', '01:02:03', '12'),
  fc.double(),
  fc.maxSafeInteger(),
  fc.constantFrom(0, -0, 2 ** 53, 2 ** 63, Number.NaN),
  fc.boolean(),
  fc.constantFrom(null, undefined, [], {}, ['a']),
)

test.each(Object.entries(columns))(
  'the short way of a %s column answers what its schema would, or nothing',
  (_name, column) => {
    fc.assert(
      fc.property(wire, (value) => {
        const usual = column.usual?.(value)
        return usual === undefined || usual === String(column.schema.parse(value))
      }),
      { numRuns: 2_000 },
    )
    expect(column.usual).toBeDefined()
  },
)
