import { expect, it } from 'vitest'
import { describe as describeMessage } from '../../src/api/answers/describe.ts'

it.each([280, 283, 290, 297])(
  'a shortened message ends with no part of an email address (%i)',
  (length) => {
    const before = 'wrong field '.repeat(40).slice(0, length)
    expect(describeMessage(`${before} person.j@corp.example is wrong`)).not.toContain('person')
  },
)
