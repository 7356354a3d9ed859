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
  /** What came of a failed call, without the call: checks that fail alike are printed once. */
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
 * Prints a line for each check, or one for all checks that fail alike, and the remedy after the last line
 * that it helps.
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

/** Returns the same text for findings with one cause. Other findings are only like themselves. */
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

const COLUMNS: TableRow = ['', { heading: '', least: 20 }, { heading: '', least: 30, whole: true }]
