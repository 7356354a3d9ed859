import { asCalled } from '../frame/called-as.ts'
import type { Output } from '../frame/output.ts'
import { describeError } from '../frame/print-error.ts'

/** What one check came to. */
export interface Finding {
  check: string
  state: 'ok' | 'warning' | 'failed'
  text: string
  todo?: string
}

/** The findings of a check, or that it failed and why: one broken thing must not hide the others. */
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

/** `printMore` prints what else there is, and answers what goes into the JSON document for it. */
export function printFindings(
  output: Output,
  findings: readonly Finding[],
  printMore: () => Readonly<Record<string, unknown>> = () => ({}),
): void {
  printLines(output, findings)
  const more = printMore()
  const healthy = findings.every(({ state }) => state !== 'failed')
  output.result({ findings, healthy, ...more })
}

/** A line for each check, and one more for what to do or what it means. */
export function printLines(
  output: Output,
  lines: readonly { state: string; check: string; text: string; todo?: string; means?: string }[],
): void {
  const width = Math.max(0, ...lines.map(({ check }) => check.length))
  const states = Math.max(7, ...lines.map(({ state }) => state.length))
  for (const { state, check, text, todo, means } of lines) {
    output.line(`${state.padEnd(states)}  ${check.padEnd(width)}  ${text}`)
    const indent = ' '.repeat(width + states + 4)
    if (todo !== undefined) output.line(`${indent}what to do: ${asCalled(todo)}`)
    if (means !== undefined) output.line(`${indent}for a sync: ${means}`)
  }
}
