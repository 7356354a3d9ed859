import { describe, expect, it } from 'vitest'
import { createPace } from '../../../src/cli/frame/progress-lines.ts'
import {
  progressLines,
  type Screen,
  terminalProgress,
} from '../../../src/cli/frame/terminal-progress.ts'
import { manualClock } from '../../helpers/manual-clock.ts'

const STREAMS = Array.from({ length: 40 }, (_, at) => `stream_${at}`)

function watch({ rows, columns }: Pick<Screen, 'rows' | 'columns'>) {
  const clock = manualClock(0)
  const written: string[] = []
  const screen = { rows, columns, write: (text: string) => void written.push(text) }
  const parts = { screen, clock, pace: createPace(clock) }
  const progress = terminalProgress(parts, 'Syncing account main', STREAMS)
  const step = (stream: string, slicesDone: number, slicesFailed = 0): void =>
    progress.step({ ...STEP, stream, slicesDone, slicesFailed })
  /** The lines of the last drawing, without the codes that erase the previous one. */
  const drawn = (): string[] =>
    (written.at(-1) ?? '').replace(ERASED, '').replace(/\n$/, '').split('\n')
  return { clock, progress, step, drawn, written }
}

describe('progress on a terminal', () => {
  it('shows a line for each active stream, and one with the counts of the others', async () => {
    const { clock, step, drawn } = watch({ rows: 24, columns: 80 })
    step('stream_0', 4)
    step('stream_1', 1)
    step('stream_2', 4, 1)
    await clock.advance(100)
    expect(drawn()).toEqual([
      'Syncing account main',
      '  stream_1: 1 of 4 slices, 0 records',
      '  1 incomplete, 1 done, 37 waiting',
    ])
  })

  it.each([
    [24, 80],
    [10, 40],
  ])('fits %i rows of %i columns, however many streams are active', async (rows, columns) => {
    const { clock, progress, step, drawn } = watch({ rows, columns })
    for (const stream of STREAMS) step(stream, 1)
    progress.remark('users.list: HTTP 503 with code 1234, trying again in 12 s '.repeat(9))
    await clock.advance(100)
    expect(drawn()).toHaveLength(rows - 1)
    expect(drawn().filter((line) => line.length >= columns)).toEqual([])
    expect(drawn().at(-1)).toBe(`  ${40 - (rows - 6)} more at work`)
  })

  it('wraps the reason for a retry over several lines, and removes it at the next step', async () => {
    const { clock, progress, step, drawn } = watch({ rows: 24, columns: 60 })
    step('stream_0', 1)
    progress.remark('users.list: the connection failed (ECONNREFUSED 127.0.0.1:8080). Try 3 failed')
    await clock.advance(100)
    expect(drawn().slice(0, 3)).toEqual([
      'Syncing account main',
      '  users.list: the connection failed (ECONNREFUSED',
      '  127.0.0.1:8080). Try 3 failed',
    ])
    step('stream_0', 2)
    await clock.advance(100)
    expect(drawn()[1]).toBe('  stream_0: 2 of 4 slices, 0 records')
  })

  it('leaves out the rate and the records before it cuts a line, and never cuts a number', () => {
    const texts = ['1,600 of 2,000 slices, 16,000 records', '1,600 of 2,000 slices'] as const
    const step = {
      ...STEP,
      stream: 'session_reports',
      slicesPlanned: 2,
      slicesDone: 1,
      slicesFailed: 0,
    }
    const lineAt = (columns: number): string | undefined =>
      progressLines(
        {
          title: '',
          remark: '',
          lines: new Map([['session_reports', { step, texts: [...texts] }]]),
          ended: false,
        },
        { rows: 24, columns },
      )[1]
    expect(lineAt(60)).toBe('  session_reports: 1,600 of 2,000 slices, 16,000 records')
    expect(lineAt(50)).toBe('  session_reports: 1,600 of 2,000 slices')
    expect(lineAt(37)).toBe('  sessi…ports: 1,600 of 2,000 slices')
  })

  it('replaces its previous lines, at most ten times a second', async () => {
    const { clock, step, written } = watch({ rows: 24, columns: 80 })
    for (const done of [1, 2, 3]) step('stream_0', done)
    expect(written).toHaveLength(1)
    await clock.advance(100)
    step('stream_0', 4)
    await clock.advance(100)
    expect(written.map((text) => ERASED.exec(text)?.[1])).toEqual([undefined, '2', '3'])
  })

  it('calls streams that had nothing to read “not due” if all others are done', async () => {
    const { progress, step, drawn } = watch({ rows: 24, columns: 80 })
    step('stream_0', 4)
    await progress.end()
    expect(drawn()).toEqual(['Syncing account main', '  1 done, 39 not due'])
  })

  it('ends with the counts of the streams, without a line for each active stream', async () => {
    const { clock, progress, step, drawn, written } = watch({ rows: 24, columns: 80 })
    step('stream_0', 4)
    step('stream_1', 1)
    await progress.end()
    expect(drawn()).toEqual(['Syncing account main', '  1 stopped, 1 done, 38 not read'])
    await clock.advance(1_000)
    expect(written).toHaveLength(2)
  })
})

const STEP = { slicesPlanned: 4, slicesNotAllowed: 0, slicesNotRead: 0, rows: 0 }
// oxlint-disable-next-line no-control-regex -- the pattern searches for control characters
const ERASED = /^\x1b\[(\d+)A\x1b\[0J/
