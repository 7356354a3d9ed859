import { describe, expect, it } from 'vitest'
import { worst } from '../../../src/cli/frame/exit-codes.ts'
import { printFacts } from '../../../src/cli/frame/output.ts'
import { errorLines, exitCodeOf } from '../../../src/cli/frame/print-error.ts'
import { createPace, stateOf } from '../../../src/cli/frame/progress-lines.ts'
import { layOut } from '../../../src/cli/frame/table.ts'
import { BusyError, ConfigurationError, RateLimitedError } from '../../../src/core/errors.ts'
import { manualClock } from '../../helpers/manual-clock.ts'

describe('a printed table', () => {
  it('has columns as wide as their widest cell, and right-aligned numbers', () => {
    expect(
      layOut([
        ['table', 'new'],
        ['users', 20_000],
        ['phone_numbers', 7],
      ]),
    ).toEqual(['table             new', 'users          20,000', 'phone_numbers       7'])
  })

  it('of labels and values aligns both to the left, and does not cut values', () => {
    const lines: string[] = []
    printFacts({ line: (text = '') => void lines.push(text) }, [
      ['account', 'main'],
      ['case', undefined],
      ['entries', 20_000],
      ['newest note', 'x'.repeat(300)],
    ])
    expect(lines).toEqual([
      'account      main',
      'entries      20,000',
      `newest note  ${'x'.repeat(300)}`,
    ])
  })

  it('removes control characters from cells', () => {
    expect(layOut([['a\u001B[2J\r\nb']])).toEqual(['a [2J b'])
  })
})

it('progress shows records, pace and the time left, estimated from the finished slices', async () => {
  const clock = manualClock(0)
  const pace = createPace(clock)
  const step = { stream: 'users', ...NO_SLICES, slicesPlanned: 10, rows: 0 }
  expect(pace(step)[0]).toBe('0 of 10 slices, 0 records')
  await clock.advance(10_000)
  expect(pace({ ...step, slicesDone: 4, rows: 5_000 })[0]).toBe(
    '4 of 10 slices, 5,000 records, 500 records/s, about 15 s left',
  )
})

it('progress has shorter texts for narrow terminals, and uses the singular for one slice', async () => {
  const clock = manualClock(0)
  const pace = createPace(clock)
  const step = { stream: 'users', ...NO_SLICES, slicesPlanned: 1, rows: 0 }
  expect(pace(step)[0]).toBe('0 of 1 slice, 0 records')
  await clock.advance(10_000)
  expect(pace({ ...step, slicesPlanned: 2, slicesDone: 1, rows: 10 })).toEqual([
    '1 of 2 slices, 10 records, 1 record/s, about 10 s left',
    '1 of 2 slices, 10 records, about 10 s left',
    '1 of 2 slices, about 10 s left',
    '1 of 2 slices',
  ])
})

it('progress shows no rate that rounds to zero', async () => {
  const clock = manualClock(0)
  const pace = createPace(clock)
  const step = { stream: 'users', ...NO_SLICES, slicesPlanned: 10, rows: 0 }
  pace(step)
  await clock.advance(10_000)
  expect(pace({ ...step, slicesDone: 1, rows: 1 })[0]).toBe(
    '1 of 10 slices, 1 record, about 90 s left',
  )
})

it.each([
  [{ slicesFailed: 4 }, '0 of 4 slices, 4 failed, 0 records', false],
  [{ slicesFailed: 1 }, '3 of 4 slices, 1 failed, 0 records', false],
  [{ slicesNotAllowed: 4 }, '0 of 4 slices, 4 not allowed, 0 records', false],
  [{ slicesNotRead: 3 }, '1 of 4 slices, 3 not read, 0 records', false],
  [{ slicesFailed: 1, slicesNotRead: 2 }, '1 of 4 slices, 1 failed, 2 not read, 0 records', false],
  [{}, '4 of 4 slices, 0 records', true],
])('progress does not count unread slices as read: %o', (counts, text, done) => {
  const step = {
    stream: 'users',
    ...NO_SLICES,
    slicesPlanned: 4,
    slicesDone: 4,
    rows: 0,
    ...counts,
  }
  expect(createPace(manualClock(0))(step)[0]).toBe(text)
  expect(stateOf(step)).toBe(done ? 'done' : 'incomplete')
})

it('progress of files shows their number, size and pace', async () => {
  const clock = manualClock(0)
  const pace = createPace(clock)
  const step = { files: 'activity' as const, filesPlanned: 400, filesDone: 0, bytes: 0 }
  expect(pace(step)[0]).toBe('0 of 400 files, 0 bytes')
  await clock.advance(10_000)
  expect(pace({ ...step, filesDone: 100, bytes: 2_000_000 })[0]).toBe(
    '100 of 400 files, 2.0 MB, 10 files/s, about 30 s left',
  )
  await clock.advance(60_000)
  const later = { ...step, filesPlanned: 900 }
  expect(pace({ ...later, filesDone: 1 })[0]).toBe('1 of 900 files, 0 bytes')
  await clock.advance(10_000)
  expect(pace({ ...later, filesDone: 300 })[0]).toContain('30 files/s, about 20 s left')
})

describe('a printed error', () => {
  it('prints the failed action, the cause, the expectation and the fix, without a stack', () => {
    const error = new ConfigurationError('x', {
      tried: 'Reading the file',
      expected: 'a number',
      came: '2 problems\n  one\n  two',
      todo: 'mend it',
    })
    expect(errorLines(error, false)).toEqual([
      'error: Reading the file: 2 problems',
      '  one',
      '  two',
      '  expected:   a number',
      '  what to do: mend it',
    ])
    expect(errorLines(error, true).join('\n')).toMatch(/\n {4}at |\nat /)
  })

  it('from a library is printed with its message, with secrets masked', () => {
    const lines = errorLines(new Error('GET https://x/y?access_token=abc failed'), false)
    expect(lines[0]).toBe('error: GET https://x/y?access_token=[secret] failed')
  })

  it('reports a full disk, even if the system names no file', () => {
    const of = (fields: object) => errorLines(Object.assign(new Error('raw'), fields), false)[0]
    const full = 'the disk is full'
    expect(of({ code: 'ENOSPC', syscall: 'write' })).toBe(`error: Writing to a file: ${full}`)
    expect(of({ code: 'ENOSPC', syscall: 'open', path: '/x' })).toBe(`error: Using /x: ${full}`)
    expect(of({ code: 'EACCES', syscall: 'listen' })).toBe('error: raw')
  })

  it('has the exit code of its class; of several errors, the most severe code counts', () => {
    const facts = { tried: 'x', came: 'y' }
    expect(exitCodeOf(new ConfigurationError('x', facts))).toBe(2)
    expect(exitCodeOf(new BusyError('x', facts))).toBe(5)
    expect(exitCodeOf(new RateLimitedError('daily', 0, facts))).toBe(3)
    expect(exitCodeOf(new TypeError('x'))).toBe(1)
    expect([worst([]), worst([0, 3]), worst([4, 3, 0]), worst([4, 5]), worst([4, 1, 5])]).toEqual([
      0, 3, 4, 5, 1,
    ])
  })
})

const NO_SLICES = { slicesDone: 0, slicesFailed: 0, slicesNotAllowed: 0, slicesNotRead: 0 }
