import { expect, it } from 'vitest'
import { examineRecords } from '../../../src/cli/doctor/examine-records.ts'
import { users } from '../../../src/resources/users.ts'

const GOOD = { id: 'u1', email: 'a@corp.example', status: 'active', type: 1 }

function examine(...records: object[]) {
  const page = { count: records.length, parse: (at: number) => records[at] }
  const context = { ordinal: 0, filter: { status: 'active' } }
  return examineRecords('main', users, { records: page, context }).map(
    ({ check, state, text }) => `${state} ${check}: ${text}`,
  )
}

it('doctor reports nothing about records that match the API documents', () => {
  expect(examine(GOOD, { ...GOOD, id: 'u2' })).toEqual([])
})

it.each([
  [
    [GOOD, { status: 'active', type: 1 }],
    'warning main users: 1 of 2 records: cannot be stored: key field id is missing',
  ],
  [
    [{ ...GOOD, created_at: 'soon' }],
    'warning main users: 1 of 1 records: cannot be read in created_at, which is of type string',
  ],
  [
    [GOOD, { ...GOOD, id: 'u2', shoe_size: 44 }],
    'ok main users: 1 of 2 records: has shoe_size, which no document names',
  ],
  [
    [{ ...GOOD, type: 77 }],
    'ok main users: 1 of 1 records: has a value in type that no document names',
  ],
])(
  'doctor reports how many records differ and in which field, without values: %#',
  (records, told) => {
    expect(examine(...records)).toEqual([told])
  },
)
