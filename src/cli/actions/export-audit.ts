import type { ExportedAudit } from '../../engine/export/exporting.ts'
import { chooseAccounts } from '../choose.ts'
import type { CommonOptions } from '../command.ts'
import type { Context } from '../context.ts'
import { exportBundle } from '../export-bundle.ts'
import { count } from '../output.ts'
import { withWarehouse } from '../wire.ts'

export interface ExportAuditOptions extends CommonOptions {
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
    const made: ExportedAudit[] = []
    const { out: directory = config.reports.directory, ...days } = options
    for (const { name } of accounts) {
      const bundle = await exportBundle(opened, name, {
        ...days,
        directory,
        signal: context.signal,
      })
      print(context, bundle)
      made.push(bundle)
    }
    context.output.result({ bundles: made })
    return made.every(({ problems }) => problems.length === 0) ? 0 : 1
  })
}

function print({ output }: Context, { path, bytes, facts, problems }: ExportedAudit): void {
  output.line(path)
  output.table([
    ['  entries', facts.entries],
    ['  records', facts.records],
    ['  files', facts.files],
    ['  size', `${count(Math.ceil(bytes / 1024))} KB`],
    ['  head', facts.head],
    ['  key', facts.key],
  ])
  for (const problem of problems) output.note(`warning: ${problem}`)
}
