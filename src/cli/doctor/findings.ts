import { asCalled } from '../frame/called-as.ts'
import type { Output } from '../frame/output.ts'
import { describeError } from '../frame/print-error.ts'
import type { TableRow } from '../frame/table.ts'

export interface Finding {
  check: string
  state: 'ok' | 'warning' | 'failed'
  text: string
  todo?: string
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
  const { tried, came, todo } = describeError(error)
  const text = tried === undefined ? came : `${tried}: ${came}`
  return { check, state: 'failed', text, ...(todo === undefined ? {} : { todo }) }
}

/** Prints a line for each check, and a second line with the remedy if there is one. */
export function printFindings(output: Output, findings: readonly Finding[]): void {
  output.table([
    COLUMNS,
    ...findings.flatMap(({ state, check, text, todo }) => [
      [state.padEnd(7), check, text],
      ...(todo === undefined ? [] : [['', '', `what to do: ${asCalled(todo)}`]]),
    ]),
  ])
  const healthy = findings.every(({ state }) => state !== 'failed')
  output.result({ findings, healthy })
}

const COLUMNS: TableRow = ['', { heading: '', least: 20 }, { heading: '', least: 30, whole: true }]
