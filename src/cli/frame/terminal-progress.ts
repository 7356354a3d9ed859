import type { Clock } from '../../core/time/clock.ts'
import { count } from '../../core/values/quantities.ts'
import { lineOf, type Pace, type ShownProgress, type Step, stateOf } from './progress-lines.ts'

/** The terminal. Its size is read at each drawing, because it may change. */
export interface Screen {
  write(text: string): void
  rows: number
  columns: number
}

/** Redraws the steps at work over the last drawing, at most ten times a second. */
export function terminalProgress(
  { screen, clock, pace }: { screen: Screen; clock: Clock; pace: Pace },
  title: string,
  names: readonly string[],
): ShownProgress {
  const lines: Lines = new Map(names.map((name) => [name, undefined]))
  let remark = ''
  let drawn = 0
  let cancel: (() => void) | undefined
  const draw = (ended: boolean): void => {
    const texts = progressLines({ title: `${title}${remark}`, lines, ended }, screen)
    const over = drawn === 0 ? '' : `\x1b[${drawn}A\x1b[0J`
    screen.write(`${over}${texts.join('\n')}\n`)
    drawn = texts.length
  }
  const drawSoon = (): void => {
    cancel ??= clock.alarm(100, () => {
      cancel = undefined
      draw(false)
    })
  }
  draw(false)
  return {
    step(step) {
      remark = ''
      const text = pace(step)
      if (lines.has(lineOf(step))) lines.set(lineOf(step), { step, text })
      drawSoon()
    },
    remark(text) {
      remark = ` (${text})`
      drawSoon()
    },
    async end() {
      cancel?.()
      remark = ''
      draw(true)
    },
  }
}

type Lines = Map<string, { step: Step; text: string } | undefined>

/** Returns a line for each active step and one line that counts the others. Together they fit the screen. */
export function progressLines(
  { title, lines, ended }: { title: string; lines: Lines; ended: boolean },
  { rows, columns }: Pick<Screen, 'rows' | 'columns'>,
): string[] {
  const counts = { 'at work': 0, incomplete: 0, done: 0, waiting: 0 }
  const shown: string[] = []
  for (const [name, line] of lines) {
    const state = line === undefined ? 'waiting' : stateOf(line.step)
    counts[state] += 1
    if (state === 'at work' && !ended) shown.push(`  ${name}: ${line?.text}`)
  }
  // Leaves three lines for the title, the rest and the cursor.
  const fitting = shown.slice(0, rows - 3)
  const rest = {
    [ended ? 'stopped' : 'more at work']: counts['at work'] - fitting.length,
    incomplete: counts.incomplete,
    done: counts.done,
    [ended ? 'not due' : 'waiting']: counts.waiting,
  }
  const parts = Object.entries(rest).flatMap(([what, many]) =>
    many > 0 ? [`${count(many)} ${what}`] : [],
  )
  return [title, ...fitting, `  ${parts.join(', ')}`].map((text) =>
    text.length < columns ? text : `${text.slice(0, columns - 2)}…`,
  )
}
