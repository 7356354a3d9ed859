import { count, type Output } from '../frame/output.ts'
import { LINES } from '../probe/lines.ts'
import type { Verdict } from '../probe/probe.ts'
import { probes } from '../probe/probes.ts'
import { snippetOf } from '../probe/snippet.ts'
import { printLines } from './findings.ts'
import type { ProbedAccount } from './probe-account.ts'

/** Each probe in a line, and then what there is to adopt. */
export function printProbes(
  output: Output,
  accounts: readonly ProbedAccount[],
  written: string | undefined,
): void {
  for (const { account, calls, mostCalls, probes: results } of accounts) {
    output.line(
      `\nProbes of ${account}: ${count(calls)} calls of at most ${count(mostCalls)}, all reads`,
    )
    printLines(
      output,
      results.map(({ probe, verdict, found, means }) => {
        const line = { state: verdict, check: probe.id, text: `${probe.assumption}: ${found}` }
        return means === undefined ? line : { ...line, means }
      }),
    )
    const counts = VERDICTS.map((verdict) => `${tally(results, verdict)} ${verdict}`).join(', ')
    output.line(
      `${counts}; ${notProbed().length} of ${LINES.length} assumptions cannot be tested by reads (--json)`,
    )
  }
  const snippet = snippetOf(accounts)
  if (written !== undefined) output.line(`\nSettings written to ${written}`)
  else if (snippet.adopted > 0) output.line('\nSettings to adopt in config.yaml:')
  if (written === undefined && snippet.adopted > 0)
    for (const line of snippet.settings.trimEnd().split('\n')) output.line(`  ${line}`)
}

/** The same for scripts, with all facts. */
export function probeDocument(accounts: readonly ProbedAccount[]): Record<string, unknown> {
  return {
    accounts: accounts.map(({ probes: results, ...account }) => ({
      ...account,
      probes: results.map(({ probe, ...probed }) => ({
        id: probe.id,
        lines: probe.lines,
        assumption: probe.assumption,
        operations: probe.operations.map(({ id }) => id),
        mostReads: probe.mostReads,
        ...probed,
      })),
    })),
    notProbed: notProbed(),
  }
}

/** The lines that no probe tests, each with its reason. */
function notProbed(): (typeof LINES)[number][] {
  const tested = new Set<string>(probes.flatMap(({ lines }) => lines))
  return LINES.filter(({ id }) => !tested.has(id))
}

function tally(results: readonly { verdict: Verdict }[], wanted: Verdict): number {
  return results.filter(({ verdict }) => verdict === wanted).length
}

const VERDICTS: readonly Verdict[] = ['holds', 'differs', 'unclear', 'not allowed']
