import { expect, it } from 'vitest'
import { databaseError } from '../../src/warehouse/database-errors.ts'

it.each([
  ['connect ECONNREFUSED 127.0.0.1:5432', 'ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:5432.'],
  ['sorry, too many clients already', '53300', 'sorry, too many clients already (53300).'],
])('a database error names its code once: %s', (message, code, shown) => {
  const error = databaseError(
    Object.assign(new Error(message), { code, severity: 'FATAL' }),
    'Connecting',
  )
  expect(error.message).toContain(`Connecting: ${shown}`)
})
