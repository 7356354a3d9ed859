import { describe, expect, it } from 'vitest'
import { ALERT_HEADING } from '../../../src/cli/alert.ts'
import { printFindings } from '../../../src/cli/doctor/findings.ts'
import { TABLES_HEADING } from '../../../src/cli/frame/run-summary.ts'
import { layOut, type TableRow, wrapLine } from '../../../src/cli/frame/table.ts'
import { CALLS_HEADING } from '../../../src/cli/plan-lines.ts'
import { RUN_HEADING, SLICE_HEADING } from '../../../src/cli/runs.ts'
import { JOB_HEADING } from '../../../src/cli/status.ts'

const ACCOUNT = 'acme-holdings-emea-staging-and-training'
const TABLE = 'phone_number_assignment_details'
const M = 1_234_567
const SILENT = { terminal: false, line: () => {}, note: () => {}, result: () => {} }

describe.each<[string, TableRow, TableRow, string]>([
  [
    'status',
    JOB_HEADING,
    [
      'whiteboard-archives',
      TABLE,
      M,
      M,
      0,
      0,
      'with its parent',
      '4 incomplete, 3 h; complete 2 days ago',
    ],
    'slices, failed, not allowed, oldest reading',
  ],
  [
    'sync',
    TABLES_HEADING,
    [TABLE, M, M, M, M, M, '1,234/1,234', '42', 'incomplete'],
    'unchanged, present, slices, run',
  ],
  [
    'plan',
    CALLS_HEADING,
    ['whiteboard-archives', TABLE, M, M, 'or more', 'RESOURCE-INTENSIVE'],
    'slices',
  ],
  [
    'runs',
    RUN_HEADING,
    ['42', ACCOUNT, 'whiteboard-archives', 'failed', '2026-11-28 20:03', '12 min', M, M, M],
    'time, new, changed, deleted',
  ],
  [
    'runs 42',
    SLICE_HEADING,
    [TABLE, 'modified=2026-11-26..2026-12-03', 'not allowed', 1, M, M, M, M, M],
    'pages, received, new, changed, deleted, service says',
  ],
  [
    'alert',
    ALERT_HEADING,
    [
      'security-team-webhook',
      ACCOUNT,
      'amber',
      'rows are missing '.repeat(8),
      '2026-11-28 20:03',
      '',
      '',
    ],
    'channel, last sent (UTC)',
  ],
])('the table of %s', (_command, heading, row, hidden) => {
  const [width, rows] = [80, [heading, row]]

  it('fits 80 columns, and names the columns it hides', () => {
    const lines = layOut(rows, width)
    expect(lines.filter((line) => line.length > width)).toEqual([])
    const note = lines.join(' ').match(/Hidden in 80 columns: (.*)\. --json shows all\.$/)?.[1]
    expect(note ?? '').toBe(hidden)
  })

  it('is printed in full without a terminal', () => {
    const [head = '', line = '', ...more] = layOut(rows)
    expect(more).toEqual([])
    for (const cell of heading)
      expect(head).toContain(typeof cell === 'object' ? cell.heading : cell)
    for (const cell of row)
      expect(line).toContain(
        typeof cell === 'number' ? '1,234,567'.slice(-String(cell).length) : String(cell).trim(),
      )
  })
})

it.each<[string, TableRow, TableRow]>([
  [
    'status',
    JOB_HEADING,
    ['whiteboard-archives', TABLE, 117_936, 12, 0, 0, '7 h 5 min ago', '#1234 complete, 12 min'],
  ],
  [
    'alert',
    ALERT_HEADING,
    ['mail', 'main', 'red', 'It is full.', '2026-11-29 20:24', '2026-11-29 20:25', ''],
  ],
])('a usual row of %s is one line on 80 columns', (_command, heading, row) => {
  const [, first = '', second = ''] = layOut([heading, row], 80)
  expect(first).toMatch(/12 min$|2026-11-29 20:2\d$/)
  expect(second).toMatch(/^Hidden in 80 columns/)
})

it('a usual row of doctor is one line on 80 columns, also beside a long path', () => {
  const tables: (readonly TableRow[])[] = []
  printFindings({ ...SILENT, table: (rows) => void tables.push(rows) }, [
    { check: 'configuration', state: 'ok', text: `/${'x'.repeat(69)}` },
    { check: 'sandbox whiteboard-archives', state: 'ok', text: 'first pages read, 12 records' },
  ])
  expect(layOut(tables[0] ?? [], 80)).toEqual([
    'ok       configuration',
    `    /${'x'.repeat(69)}`,
    'ok       sandbox whiteboard-archives  first pages read, 12 records',
  ])
})

describe('a table wider than the terminal', () => {
  const narrow = [
    ['id', { heading: 'name', least: 9 }, { heading: 'note', least: 8 }],
    [1, 'abcdefghijklmn', 'one two three'],
  ]

  it.each<[number, string[]]>([
    [80, ['id  name            note', ' 1  abcdefghijklmn  one two three']],
    [28, ['id  name            note', ' 1  abcdefghijklmn  one two', '                    three']],
    [25, ['id  name         note', ' 1  abcde…jklmn  one two', '                 three']],
  ])(
    'at width %i, wraps its text first, and cuts names in the middle only if nothing else helps',
    (width, lines) => {
      expect(layOut(narrow, width)).toEqual(lines)
    },
  )

  it('hides columns before it cuts a name, and never cuts a number', () => {
    const rows = [
      [
        { heading: 'name', least: 4 },
        { heading: 'calls', least: 4 },
        { heading: 'run', hide: 1 },
      ],
      ['abcdefghijklmn', '1,600,000', '42'],
    ]
    expect(layOut(rows, 26).slice(0, 2)).toEqual([
      'name            calls',
      'abcdefghijklmn  1,600,000',
    ])
    expect(layOut(rows, 20)[1]).toBe('abcd…klmn  1,600,000')
  })

  it('hides columns in their declared order, and names them', () => {
    const rows = [
      ['table', { heading: 'new', hide: 2 }, { heading: 'run', hide: 1 }],
      ['users', 'twelve', 'seven'],
    ]
    expect(layOut(rows, 14)).toEqual([
      'table  new',
      'users  twelve',
      'Hidden in 14',
      'columns: run.',
      '--json shows',
      'all.',
    ])
  })

  it('does not shorten columns that do not declare this, even if the terminal must wrap the lines', () => {
    expect(
      layOut(
        [
          ['a', 'b'],
          ['x'.repeat(50), 'y'.repeat(50)],
        ],
        60,
      )[1],
    ).toHaveLength(102)
  })

  it('has no heading line if all headings are empty, and does not cut cells of a column marked whole', () => {
    const rows = [
      ['', { heading: '', least: 5, whole: true }],
      ['ok', `key ${'f'.repeat(64)}`],
    ]
    expect(layOut(rows, 40)).toEqual(['ok  key', `    ${'f'.repeat(64)}`])
  })

  it('moves a fingerprint to a line of its own, unbroken, if it fits the terminal', () => {
    const [fingerprint, key] = ['f'.repeat(64), `log+${'k'.repeat(69)}`]
    const rows = [
      ['', { heading: '', least: 5, whole: true }],
      ['signed by the key', `on Monday by ${fingerprint}`],
      ['log key', key],
    ]
    expect(layOut(rows, 80)).toEqual([
      'signed by the key  on Monday by',
      `    ${fingerprint}`,
      'log key',
      `    ${key}`,
    ])
    expect(wrapLine(`${' '.repeat(20)}${fingerprint}`, 80)).toEqual([`    ${fingerprint}`])
  })
})

describe('a line wider than the terminal', () => {
  it('breaks between words, and keeps its indentation', () => {
    expect(wrapLine('  one two three four', 11)).toEqual(['  one two', '  three', '  four'])
    expect(wrapLine('  what to do: one two three', 24)).toEqual([
      '  what to do: one two',
      '              three',
    ])
    expect(wrapLine('one two three')).toEqual(['one two three'])
  })

  it('keeps a command and a long word whole, so that they can be copied', () => {
    const command = 'npm run callsheet -- verify --bundle out/a.zip --key 12'
    expect(wrapLine(`  ${command}`, 20)).toEqual([`  ${command}`])
    expect(wrapLine('Then run callsheet logout --account main. Then wait.', 20)).toEqual([
      'Then run',
      'callsheet logout --account main.',
      'Then wait.',
    ])
    expect(wrapLine('Start callsheet serve, which runs it.', 22)).toEqual([
      'Start callsheet serve,',
      'which runs it.',
    ])
    expect(
      wrapLine('See callsheet erase --due --dry-run, then callsheet status to see it.', 22),
    ).toEqual(['See', 'callsheet erase --due --dry-run,', 'then callsheet status', 'to see it.'])
    expect(wrapLine(`key ${'x'.repeat(30)}`, 20)).toEqual(['key', 'x'.repeat(30)])
  })
})
