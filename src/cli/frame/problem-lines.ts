import { counted } from '../../core/values/quantities.ts'
import { capitalize } from '../../core/values/text.ts'
import { problemKind, withoutCall } from '../../serve/health/problems.ts'
import { readFailure, UNAVAILABLE } from '../../sync/run/failure.ts'
import type { RunResult } from '../../sync/run/run-types.ts'

/** The problems of one kind, which may occur in several slices of any jobs and runs. */
export interface ProblemGroup {
  /** What happened in the first of them, and in which call. */
  cause: string
  calls: Set<string>
  todo: string | undefined
  /** Whether all of them have the same text. */
  same: boolean
  /** The slice of each, or the table; empty if it concerns the whole run. */
  places: string[]
  runIds: Set<number>
}

export type ProblemRun = Pick<RunResult, 'runId' | 'problems'> & {
  failure?: unknown
  slices?: RunResult['slices']
}

/** Groups problems by cause and remedy, so that a service that is down is reported once. */
export function groupProblems(runs: readonly ProblemRun[]): ProblemGroup[] {
  const groups = new Map<string, ProblemGroup>()
  for (const { runId, problems } of runs)
    for (const problem of problems) {
      const { place, call, cause, todo } = takeApart(problem)
      const kind = problemKind(`${cause} ${todo}`, place)
      const group = groups.get(kind) ?? {
        cause,
        todo,
        same: true,
        places: [],
        calls: new Set<string>(),
        runIds: new Set<number>(),
      }
      group.same &&= group.cause === cause
      group.places.push(place)
      group.calls.add(call)
      group.runIds.add(runId)
      groups.set(kind, group)
    }
  return [...groups.values()]
}

/** Whether a group reports that the service was not available, as far as its runs record why they failed. */
export function isOutage({ cause }: ProblemGroup, runs: readonly ProblemRun[]): boolean {
  return runs.some(({ failure }) => {
    const { key, came } = readFailure(failure) ?? {}
    // The record of a run leaves out what the service said, and a problem leaves out the call's number.
    const said = cause.replace(/, ".*"/, '')
    return key === UNAVAILABLE && withoutCall(came ?? '').endsWith(said)
  })
}

/** One cause, the tables or slices that it concerns, and its remedy. */
export function groupLines(group: ProblemGroup, runs: readonly ProblemRun[]): string[] {
  const { cause, calls, todo, same, places } = group
  const remedy = todo === undefined ? [] : [`  what to do: ${todo}`]
  if (isOutage(group, runs))
    return [
      `The service is not available: ${cause}`,
      `  not read:   ${concerned(group, runs)}`,
      ...remedy,
    ]
  const [call = ''] = calls
  const text = calls.size === 1 && call !== '' ? `${call}: ${cause}` : cause
  const named = [...new Set(places)].filter((place) => place !== '')
  if (named.length === 0) return [capitalize(text), ...remedy]
  const where =
    same && named.length <= MOST_PLACES
      ? named.join(', ')
      : `${counted(places.length, 'time')}, for example ${named[0]}`
  return [`${where}: ${text}`, ...remedy]
}

/** Counts the failed slices of each table. Once the service is given up, slices fail without a problem. */
function concerned({ places }: ProblemGroup, runs: readonly ProblemRun[]): string {
  const named = places.filter((place) => place !== '')
  const tables = Map.groupBy(named, (place) => place.split(' ')[0] ?? place)
  return [...tables]
    .map(([table, { length }]) => {
      const failed = runs.reduce((sum, { slices }) => sum + (slices?.[table]?.failed ?? 0), 0)
      return `${table} (${counted(Math.max(failed, length), 'slice')})`
    })
    .join(', ')
}

/** Splits a problem into the name of its slice, if it begins with one, the call, the cause and the remedy. */
function takeApart(problem: string) {
  const at = problem.indexOf(': ')
  const [place, text] =
    at < 0 ? ['', problem] : [problem.slice(0, at), withoutCall(problem.slice(at + 2))]
  const [, call = '', rest = text] = CALL.exec(text) ?? []
  const [, cause = rest, todo] = REMEDY.exec(rest) ?? []
  return { place, call, cause, todo }
}

const CALL = /^([A-Z]+ \/\S* \([\w.]+\)): (.*)$/s
const REMEDY = /^(.*?)\.? What to do: (.*?)\.?$/s
const MOST_PLACES = 3
