import { meansRefused } from '../core/define/answer-meaning.ts'
import type { FoundReadings } from '../core/define/ports.ts'
import type { Stream } from '../core/define/stream.ts'
import { isDaySpent, PageTokenError } from '../core/errors.ts'
import { isOfOneCall } from './deletions/ask-details.ts'
import { type FoundWay, findWindowWay, type WindowWay } from './find-window-way.ts'
import type { PlanDeps, RunContext } from './run/run-context.ts'

/** Whether windows of a month may reach over its end: the account says so, or it was found out. */
export function mayCross(
  { found, reportWindows = 'learn' }: Pick<PlanDeps, 'found' | 'reportWindows'>,
  stream: Stream,
): boolean {
  const reading = readingOf(stream)
  if (reading === undefined) return false
  return reportWindows === 'learn' ? wayIn(found, reading) === 'across' : reportWindows === 'across'
}

/**
 * Windows within a month have no margins, so they are whole only where the service counts the first and the
 * last day that is asked for in, and counts days in UTC. That is found out before windows are read, or, where
 * nothing is held yet to look for, after they were; again when everything is read, and when records lie
 * `outside`. Answers how the windows are to be read, undefined where there is nothing to know.
 */
export async function learnWindowWay(
  run: RunContext,
  stream: Stream,
  outside = 0,
): Promise<WindowWay | undefined> {
  const reading = readingOf(stream)
  if (reading === undefined || run.reportWindows === 'across') return undefined
  const known = wayIn(run.found, reading)
  // No run is complete while neither way works, so each run looks again.
  const doubted = known === 'within' ? run.full || outside > 0 : known === 'neither'
  if (known !== undefined && !doubted) return told(run, stream, known)
  const way = await tryFinding(run, stream, outside)
  if (way === undefined) return known === 'neither' ? told(run, stream, known) : known
  if (way === 'untried') return told(run, stream, way)
  await run.found.remember({ reading, variant: way, shownBy: SHOWN_BY[way] })
  return told(run, stream, way)
}

function readingOf({ sync }: Stream): string | undefined {
  return sync.kind === 'windows' ? sync.byMonth : undefined
}

function wayIn(found: FoundReadings | undefined, reading: string): WindowWay | undefined {
  const variant = found?.get(reading)
  return variant !== undefined && variant in SHOWN_BY ? (variant as WindowWay) : undefined
}

async function tryFinding(
  run: RunContext,
  stream: Stream,
  outside: number,
): Promise<FoundWay | undefined> {
  try {
    return await findWindowWay(run, stream, outside)
  } catch (error) {
    const ofOneCall = isOfOneCall(error) || error instanceof PageTokenError
    if (run.signal.aborted || !ofOneCall) throw error
    // The windows come to the same by themselves, and tell it.
    if (isDaySpent(error) || meansRefused(stream.operation, error)) return undefined
    const text = `${stream.name}: whether windows are answered whole is not known. ${error.message}`
    run.problem(text, true, stream)
    return undefined
  }
}

/** Where a part of what is asked is left out and nothing can be done about it, no run is complete. */
function told(run: RunContext, stream: Stream, way: FoundWay): WindowWay {
  if (way === 'within') return way
  const settled = run.reportWindows === 'month'
  if (way === 'across' && !settled) return way
  const mend = settled
    ? 'Set reportWindows of the account to across, or to learn'
    : way === 'untried'
      ? 'Whether it answers across the end of a month is not known, as nothing is known on both sides of one'
      : 'It does not answer across the end of a month either; if it should, set reportWindows to across'
  run.problem(`${stream.name}: ${LEFT_OUT}. ${mend}`, 'for a person', stream)
  return 'neither'
}

const LEFT_OUT =
  'the service leaves out a part of the first or last day that is asked for, so rows at the ends of ' +
  'months may be missing'
const SHOWN_BY: Readonly<Record<WindowWay, string>> = {
  within: 'a window shows what began on its first and last day',
  across:
    'a window leaves out days at its ends, or counts them in another zone, and may be of two months',
  neither:
    'a window leaves out days at its ends, or counts them in another zone, and ends with the month',
}
