import { expect, test } from 'vitest'
import * as column from '../../../src/core/define/column.ts'
import { parseLossless } from '../../../src/core/values/json.ts'

type Spelled = readonly (readonly [wire: string, read: string | undefined])[]

/** Wire values as JSON text, since some spellings exist only there, and what the column reads from each. */
const TABLE: readonly (readonly [string, column.Column, Spelled])[] = [
  [
    'integer',
    column.integer('A value.'),
    [
      ['5', '5'],
      ['5.0', '5'],
      ['"5"', '5'],
      ['"5.0"', '5'],
      ['"005"', '5'],
      ['-0', '0'],
      ['5e2', '500'],
      ['"9007199254740993"', '9007199254740993'],
      ['9007199254740993', '9007199254740993'],
      ['9223372036854775808', undefined],
      ['5.5', undefined],
      ['"5.5"', undefined],
      ['"five"', undefined],
      ['"1,000"', undefined],
      ['"0x10"', undefined],
      ['true', undefined],
      ['[5]', undefined],
    ],
  ],
  [
    'flag',
    column.flag('A value.'),
    [
      ['1', '1'],
      ['"0"', '0'],
      ['true', '1'],
      ['"False"', '0'],
      ['7', '7'],
      ['"yes"', undefined],
    ],
  ],
  [
    'boolean',
    column.boolean('A value.'),
    [
      ['true', 'true'],
      ['1', 'true'],
      ['"1"', 'true'],
      ['"true"', 'true'],
      ['"True"', 'true'],
      ['"TRUE"', 'true'],
      ['false', 'false'],
      ['0', 'false'],
      ['0.0', 'false'],
      ['"0"', 'false'],
      ['"False"', 'false'],
      ['2', undefined],
      ['"yes"', undefined],
      ['[true]', undefined],
      ['{}', undefined],
    ],
  ],
  [
    'instant',
    column.instant('A value.'),
    [
      ['"2024-02-20T15:31:33Z"', '2024-02-20T15:31:33Z'],
      ['"2024-02-20T15:31:33.000Z"', '2024-02-20T15:31:33Z'],
      ['"2024-02-20t15:31:33z"', '2024-02-20T15:31:33Z'],
      ['"2024-02-20 15:31:33"', '2024-02-20T15:31:33Z'],
      ['"2024-02-20 15:31:33 UTC"', '2024-02-20T15:31:33Z'],
      ['"2024-02-20T17:31:33+02"', '2024-02-20T15:31:33Z'],
      ['"2024-02-20T17:31:33.25+02:00"', '2024-02-20T15:31:33.25Z'],
      ['1708443093', '2024-02-20T15:31:33Z'],
      ['"1708443093"', '2024-02-20T15:31:33Z'],
      ['1708443093.25', '2024-02-20T15:31:33.25Z'],
      ['1708443093250', '2024-02-20T15:31:33.25Z'],
      ['"1708443093000"', '2024-02-20T15:31:33Z'],
      ['0', undefined],
      ['2024', undefined],
      ['20240220', undefined],
      ['1708443093000000', undefined],
      ['-1708443093', undefined],
      ['"20 Feb 2024"', undefined],
      ['true', undefined],
    ],
  ],
  [
    'durationSeconds',
    column.durationSeconds('A value.'),
    [
      ['"01:02:03"', '3723'],
      ['"02:03"', '123'],
      ['"01:02:03.5"', '3723'],
      ['"PT1H2M3S"', '3723'],
      ['"PT90S"', '90'],
      ['"PT"', undefined],
      ['"P1D"', undefined],
      // The unit is unknown: seconds or minutes.
      ['3723', undefined],
      ['"3723"', undefined],
    ],
  ],
  [
    'text',
    column.text('A value.'),
    [
      ['"a"', 'a'],
      ['1001', '1001'],
      ['90071992547409931', '90071992547409931'],
      ['1.5', undefined],
      ['true', undefined],
      ['["a"]', undefined],
    ],
  ],
  [
    'textArray',
    column.textArray('A value.'),
    [
      ['["a","b"]', '{"a","b"}'],
      ['"a"', '{"a"}'],
      ['7', '{"7"}'],
      ['["a",7]', '{"a","7"}'],
      ['[]', '{}'],
      ['["a",null]', '{"a"}'],
      ['{"a":1}', undefined],
    ],
  ],
  [
    'jsonList',
    column.jsonList('A value.'),
    [
      ['[1,2]', '[1,2]'],
      ['1', '[1]'],
      ['{"a":1}', '[{"a":1}]'],
    ],
  ],
]

for (const [name, { read }, spelled] of TABLE)
  test.each(spelled)(`a column of ${name} reads %s as %s`, (wire, value) => {
    expect(read(parseLossless(wire))).toBe(value)
  })
