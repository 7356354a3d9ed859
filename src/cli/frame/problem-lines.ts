import { counted } from '../../core/values/quantities.ts'
import { capitalize } from '../../core/values/text.ts'
import { problemKind, withoutCall } from '../../serve/health/problems.ts'
import { readFailure, UNAVAILABLE } from '../../sync/run/failure.ts'
import type { RunResult } from '../../sync/run/run-types.ts'

/** Problems with the same cause and remedy, from any slices, jobs and runs. */
export interface ProblemGroup {
  /** The cause of the first problem, without its call. */
  cause: string
  calls: Set<string>
  todo: string | undefined
  /** Whether the causes of all problems have exactly the same text. */
  same: boolean
  /** The slice or table of each problem; an empty text for a problem of the whole run. */
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

/** Returns true if one of the runs failed with this group's cause because the service was unavailable. */
export function isOutage({ cause }: ProblemGroup, runs: readonly ProblemRun[]): boolean {
  return runs.some(({ failure }) => {
    const { key, came } = readFailure(failure) ?? {}
    // A run's failure omits the service's message, and a problem omits the call's ID.
    const said = cause.replace(/, ".*"/, '')
    return key === UNAVAILABLE && withoutCall(came ?? '').endsWith(said)
  })
}

/** Returns the lines about a cause: the tables or slices that it concerns, its text and its remedy. */
export function groupLines(group: ProblemGroup, runs: readonly ProblemRun[]): string[] {
  const { cause, calls, todo, same, places } = group
  const remedy = todo === undefined ? [] : [`  what to do: ${todo}`]
  const [call = ''] = calls
  const text = calls.size === 1 && call !== '' ? `${call}: ${cause}` : cause
  if (isOutage(group, runs))
    return [
      `The service is not available: ${text}`,
      `  not read:   ${concerned(group, runs)}`,
      ...remedy,
    ]
  const named = [...new Set(places)].filter((place) => place !== '')
  if (named.length === 0) return [capitalize(text), ...remedy]
  const where =
    same && named.length <= MOST_PLACES
      ? named.join(', ')
      : `${counted(places.length, 'time')}, for example ${named[0]}`
  return [`${where}: ${text}`, ...remedy]
}

/**
 * Names tables with their counts of failed slices, and jobs that did not begin. During an outage, slices can
 * fail without a problem.
 */
function concerned({ places }: ProblemGroup, runs: readonly ProblemRun[]): string {
  const named = places.filter((place) => place !== '')
  const tables = Map.groupBy(named, (place) => place.split(' ')[0] ?? place)
  return [...tables]
    .map(([table, { length }]) => {
      const failed = runs.reduce((sum, { slices }) => sum + (slices?.[table]?.failed ?? 0), 0)
      const isJob = !runs.some(({ slices }) => slices?.[table] !== undefined)
      return isJob ? table : `${table} (${counted(Math.max(failed, length), 'slice')})`
    })
    .join(', ')
}

/** Splits a problem into its slice or table, its call, its cause and its remedy, as far as it has them. */
function takeApart(problem: string) {
  const at = problem.indexOf(': ')
  const [place, text] =
    at < 0 ? ['', problem] : [problem.slice(0, at), withoutCall(problem.slice(at + 2))]
  const [, call = '', rest = text] = CALL.exec(text) ?? []
  const [, cause = rest, todo] = REMEDY.exec(rest) ?? []
  return { place, call, cause, todo }
}

const CALL = /^([A-Z]+ \/\S* \([\w.]+\)|Requesting a token from [^:]+): (.*)$/s
const REMEDY = /^(.*?)\.? What to do: (.*?)\.?$/s
const MOST_PLACES = 3
