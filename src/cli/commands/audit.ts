import { type Command, InvalidArgumentError } from 'commander'
import type { ExportAuditOptions } from '../actions/export-audit.ts'
import { parseDate } from '../../core/time.ts'
import { defineCommand, type Runner } from '../command.ts'

export function auditCommand(run: Runner): Command {
  return defineCommand('audit', 'What an auditor is given', EXAMPLES)
    .enablePositionalOptions()
    .addCommand(exportCommand(run))
}

function exportCommand(run: Runner): Command {
  return defineCommand(
    'export',
    'Write the files, records and proofs of a period as one zip file',
    EXAMPLES,
  )
    .requiredOption('--from <yyyy-mm-dd>', 'the first day', day)
    .requiredOption('--to <yyyy-mm-dd>', 'the last day, which counts too', day)
    .option('--whiteboard <id>', 'only this board')
    .option('--user <id>', 'only this user, by ID or e-mail address')
    .option('-a, --account <name>', 'only this account')
    .option('--timezone <zone>', 'the zone whose days count')
    .option('-o, --out <folder>', 'where the bundle is written')
    .addHelpText('after', '\nExit code 1: written, but something is missing in it, which is said.')
    .exitOverride()
    .action((options: ExportAuditOptions) =>
      run(options, async (context) => {
        const { exportAudits } = await import('../actions/export-audit.ts')
        return await exportAudits(context, options)
      }),
    )
}

function day(value: string): string {
  if (parseDate(value) === undefined)
    throw new InvalidArgumentError('Expected a day of the calendar, as yyyy-mm-dd.')
  return value
}

const EXAMPLES = [
  'audit export --from 2026-06-01 --to 2026-06-30',
  'audit export --from 2026-06-01 --to 2026-06-30 --whiteboard WB1 --out /tmp',
] as const
