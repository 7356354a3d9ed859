import { chooseAccounts } from '../../account/choose.ts'
import { statesHold } from '../../account/state-decisions.ts'
import { withWarehouse } from '../../account/wire.ts'
import type { CommonOptions } from '../frame/command.ts'
import type { Context } from '../frame/context.ts'
import { eachAccount } from '../frame/each-account.ts'
import { worst } from '../frame/exit-codes.ts'
import { exportBundle, type WarnedBundle } from '../frame/export-bundle.ts'
import { keptLines } from '../frame/kept-lines.ts'
import { count, printFacts } from '../frame/output.ts'
import { type CaseOptions, caseHold } from './case-hold.ts'

export interface ExportAuditOptions extends CommonOptions, CaseOptions {
  from: string
  to: string
  whiteboard?: string
  user?: string
  account?: string
  timezone?: string
  out?: string
}

/** One bundle for each account asked for. */
export async function exportAudits(context: Context, options: ExportAuditOptions): Promise<number> {
  const { config } = await context.loadConfig()
  const accounts = chooseAccounts(config, options.account)
  return await withWarehouse(context, { migrate: false }, async (opened) => {
    const { out: directory = config.reports.directory, ...days } = options
    const wanted = { ...days, directory, signal: context.signal }
    const outcomes = await eachAccount(context, accounts, async ({ name }) => {
      const onDecided = statesHold(opened.wiring, name)
      const { whiteboard } = options
      const scope = { account: name, whiteboard, nowMs: context.clock.now(), onDecided }
      const forCase = () => caseHold(opened.warehouse, scope, options)
      const bundle = await exportBundle(opened, name, { ...wanted, forCase })
      print(context, bundle)
      return { code: bundle.problems.length === 0 ? 0 : 1, json: bundle }
    })
    context.output.result({ bundles: outcomes.map(({ json }) => json) })
    return worst(outcomes.map(({ code }) => code))
  })
}

function print({ output }: Context, bundle: WarnedBundle): void {
  const { path, bytes, facts, problems, warnings } = bundle
  output.line(path)
  printFacts(output, [
    ['  entries', facts.entries],
    ['  records', facts.records],
    ['  files', facts.files],
    ['  size', `${count(Math.ceil(bytes / 1024))} KB`],
    ['  head', facts.head],
    ['  key', facts.key],
    ['  case', facts.case && `${facts.case.name}: ${facts.case.reason}`],
  ])
  const told = [...warnings, ...problems, ...keptLines([bundle])]
  for (const text of told) output.note(`warning: ${text}`)
}
