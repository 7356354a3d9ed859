import { problemKind, withoutCall } from '../../serve/health/problems.ts'
import { asCalled } from '../frame/called-as.ts'
import type { Output } from '../frame/output.ts'
import { describeError } from '../frame/print-error.ts'
import type { TableRow } from '../frame/table.ts'

export interface Finding {
  check: string
  state: 'ok' | 'warning' | 'failed'
  text: string
  todo?: string
  /** The result of a failed call, without the call's name: checks with the same cause are printed once. */
  cause?: string
}

/** Returns the findings of a check, or its failure, so that one broken part does not hide the others. */
export async function attempt(check: string, work: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await work()
  } catch (error) {
    return [failure(check, error)]
  }
}

export function failure(check: string, error: unknown): Finding {
  const { tried, came: cause, todo } = describeError(error)
  const text = tried === undefined ? cause : `${tried}: ${cause}`
  return { check, state: 'failed', text, cause, ...(todo === undefined ? {} : { todo }) }
}

/**
 * Prints one line per check, or one for all checks with the same cause. Consecutive lines with the same
 * remedy share one remedy line.
 */
export function printFindings(output: Output, findings: readonly Finding[]): void {
  const shown = [...Map.groupBy(findings, likenessOf).values()].flatMap(asOne)
  output.table([
    COLUMNS,
    ...shown.flatMap(({ state, check, text, todo }, at) => [
      [state.padEnd(7), check, asCalled(text)],
      ...(todo === undefined || shown[at + 1]?.todo === todo
        ? []
        : [['', '', `what to do: ${asCalled(todo)}`]]),
    ]),
  ])
  const healthy = findings.every(({ state }) => state !== 'failed')
  output.result({ findings, healthy })
}

/** Returns the same text for findings with the same cause, state and remedy, else the finding itself. */
function likenessOf(finding: Finding): unknown {
  const { state, cause, todo } = finding
  return cause === undefined ? finding : JSON.stringify([state, problemKind(cause), todo])
}

function asOne(same: readonly Finding[]): Finding[] {
  const [first] = same
  if (first === undefined || same.length === 1) return [...same]
  const concerned = same.map(({ check }) => check).join(', ')
  const text = `${withoutCall(first.cause ?? '')}. This concerns ${concerned}.`
  return [{ ...first, check: `${same.length} checks`, text }]
}

const COLUMNS: TableRow = ['', { heading: '', least: 36 }, { heading: '', least: 30, whole: true }]
