import type { Clock } from '../../core/time/clock.ts'
import { count } from '../../core/values/quantities.ts'
import { lineOf, type Pace, type ShownProgress, type Step, stateOf } from './progress-lines.ts'
import { shorten, wrapLine } from './table.ts'

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
    const texts = progressLines({ title, remark, lines, ended }, screen)
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
      const texts = pace(step)
      if (lines.has(lineOf(step))) lines.set(lineOf(step), { step, texts })
      drawSoon()
    },
    remark(text) {
      remark = text
      drawSoon()
    },
    async end() {
      cancel?.()
      remark = ''
      draw(true)
    },
  }
}

type Lines = Map<string, { step: Step; texts: ReturnType<Pace> } | undefined>

interface Drawing {
  title: string
  /** Why nothing moves, if a call waits to be sent again; otherwise empty. */
  remark: string
  lines: Lines
  ended: boolean
}

/** Returns the title, the remark, the active steps that fit the screen, and the counts of the others. */
export function progressLines(
  { title, remark, lines, ended }: Drawing,
  { rows, columns }: Pick<Screen, 'rows' | 'columns'>,
): string[] {
  const width = columns - 1
  const reason = remark === '' ? [] : wrapLine(`  ${remark}`, width).slice(0, REMARK_LINES)
  const counts = { 'at work': 0, incomplete: 0, done: 0, waiting: 0 }
  const shown: string[] = []
  for (const [name, line] of lines) {
    const state = line === undefined ? 'waiting' : stateOf(line.step)
    counts[state] += 1
    if (line !== undefined && state === 'at work' && !ended)
      shown.push(stepLine(name, line.texts, width))
  }
  // Leaves three lines for the title, the rest and the cursor.
  const fitting = shown.slice(0, Math.max(0, rows - 3 - reason.length))
  const untouched = counts.incomplete + counts['at work'] > 0 ? 'not read' : 'not due'
  const rest = {
    [ended ? 'stopped' : 'more at work']: counts['at work'] - fitting.length,
    incomplete: counts.incomplete,
    done: counts.done,
    [ended ? untouched : 'waiting']: counts.waiting,
  }
  const parts = Object.entries(rest).flatMap(([what, many]) =>
    many > 0 ? [`${count(many)} ${what}`] : [],
  )
  return [title, ...reason, ...fitting, `  ${parts.join(', ')}`].map((text) => cut(text, width))
}

/** Returns the longest text that fits. If none does, shortens the step's name, never a number. */
function stepLine(name: string, texts: readonly string[], width: number): string {
  const [last = ''] = texts.slice(-1)
  const text = texts.find((one) => name.length + one.length + 4 <= width)
  return text === undefined
    ? `  ${shorten(name, Math.max(8, width - last.length - 4))}: ${last}`
    : `  ${name}: ${text}`
}

/** Cuts a line that is too long, between words if possible, and adds an ellipsis. */
function cut(text: string, width: number): string {
  if (text.length <= width) return text
  const fitting = text.slice(0, width - 1)
  const end = text[width - 1] === ' ' ? fitting.length : fitting.lastIndexOf(' ')
  return `${fitting.slice(0, end > 0 ? end : fitting.length)}…`
}

const REMARK_LINES = 3
