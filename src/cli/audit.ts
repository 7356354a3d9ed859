import type { Command } from 'commander'
import { bytesText } from '../core/values/quantities.ts'
import { holdName } from './archive-hold.ts'
import { unexplainedCommand } from './audit-unexplained.ts'
import { caseHold } from './case-hold.ts'
import { type CommonOptions, defineCommand, type Runner } from './frame/command.ts'
import type { Context } from './frame/context.ts'
import { withAccounts } from './frame/each-account.ts'
import type { WarnedBundle } from './frame/export-bundle.ts'
import { keptLines } from './frame/kept-lines.ts'
import { day } from './frame/moments.ts'
import { printFacts } from './frame/output.ts'

interface ExportAuditOptions extends CommonOptions {
  from: string
  to: string
  whiteboard?: string
  user?: string
  account?: string
  timezone?: string
  out?: string
  /** The name of the hold on the files of a legal case. */
  case?: string
}

export function auditCommand(run: Runner): Command {
  return defineCommand('audit', 'Export evidence for an auditor', EXAMPLES)
    .enablePositionalOptions()
    .addCommand(exportCommand(run))
    .addCommand(unexplainedCommand(run))
}

function exportCommand(run: Runner): Command {
  return defineCommand(
    'export',
    'Export the files, records and proofs of a period as one zip file',
    EXAMPLES,
  )
    .requiredOption('--from <yyyy-mm-dd>', 'first day', day)
    .requiredOption('--to <yyyy-mm-dd>', 'last day (inclusive)', day)
    .option('--whiteboard <id>', 'only this board')
    .option('--user <id>', 'only this user, by ID or e-mail address')
    .option('-a, --account <name>', 'only this account (default: all accounts)')
    .option('--timezone <zone>', 'time zone of the days')
    .option('-o, --out <folder>', 'output folder')
    .option('--case <name>', 'legal case, by the name of the hold on its files', holdName)
    .addHelpText(
      'after',
      '\nExit code 1: the bundle was written, but it lacks something, as reported.',
    )
    .exitOverride()
    .action((options: ExportAuditOptions) =>
      run(options, (context) => exportAudits(context, options), { databases: 'each' }),
    )
}

/** Writes one bundle for each chosen account. */
export async function exportAudits(context: Context, options: ExportAuditOptions): Promise<number> {
  const { exportBundle } = await import('./frame/export-bundle.ts')
  const { config } = await context.loadConfig()
  const { out: directory = config.reports.directory, account, ...days } = options
  const wanted = { ...days, directory, signal: context.signal }
  const result = (bundles: object[]): object => ({ bundles })
  return await withAccounts(
    context,
    { account, migrate: false, result },
    async (opened, { name }) => {
      const scope = { account: name, whiteboard: options.whiteboard }
      const forCase = () => caseHold(opened.warehouse, scope, options.case)
      const bundle = await exportBundle(opened, name, { ...wanted, forCase })
      print(context, bundle)
      return { code: bundle.problems.length === 0 ? 0 : 1, json: bundle }
    },
  )
}

function print({ output }: Context, bundle: WarnedBundle): void {
  const { path, sha256, bytes, facts, problems, warnings } = bundle
  output.line(path)
  printFacts(output, [
    ['  entries', facts.entries],
    ['  records', facts.records],
    ['  files', facts.files],
    ['  size', bytesText(bytes)],
    ['  SHA-256', sha256],
    ['  checkpoint', facts.checkpoint],
    ['  key', facts.key],
    ['  case', facts.case && `${facts.case.name}: ${facts.case.reason}`],
  ])
  const told = [...warnings, ...problems, ...keptLines([bundle])]
  for (const text of told) output.note(`warning: ${text}`)
}

const EXAMPLES = [
  'audit export --from 2026-06-01 --to 2026-06-30',
  'audit export --from 2026-06-01 --to 2026-06-30 --out /tmp',
  'audit export --from 2026-06-01 --to 2026-06-30 --case case-7',
] as const
