import { type Command, InvalidArgumentError, Option } from 'commander'
import type { UnexplainedKind } from '../../audit/verify/settle-unexplained.ts'
import { parseDate } from '../../core/time/time.ts'
import type { ExportAuditOptions } from '../archive/export-audit.ts'
import type { SettleOptions } from '../archive/settle-unexplained.ts'
import { defineCommand, type Runner } from '../frame/command.ts'
import { endOfDay, holdName, reason } from './archive/hold.ts'

export function auditCommand(run: Runner): Command {
  return defineCommand('audit', 'What an auditor is given', EXAMPLES)
    .enablePositionalOptions()
    .addCommand(exportCommand(run))
    .addCommand(unexplainedCommand(run))
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
    .option('--case <name>', 'for which case; a legal hold of that name keeps the files', holdName)
    .option('--reason <text>', 'of a new case: why', reason)
    .option('--asked-by <name>', 'of a new case: who asked for it', reason)
    .option('--until <day>', 'of a new case: the last day, in UTC, on which it holds', endOfDay)
    .addHelpText('after', '\nExit code 1: written, but something is missing in it, which is said.')
    .exitOverride()
    .action((options: ExportAuditOptions) =>
      run(options, async (context) => {
        const { exportAudits } = await import('../archive/export-audit.ts')
        return await exportAudits(context, options)
      }),
    )
}

function unexplainedCommand(run: Runner): Command {
  return defineCommand(
    'unexplained',
    'Show erasures, removals and persons kept out that nothing of ours explains, and settle them',
    ['audit unexplained', 'audit unexplained --account main --confirm'],
  )
    .option('-a, --account <name>', 'only this account')
    .option(
      '--confirm',
      'they are ours, such as those of a key that is gone: the next sync signs them',
    )
    .option(
      '--reject',
      'they are not: they leave the manifest, files count as stored, whom they kept out is kept again',
    )
    .addOption(
      new Option(
        '--only <kind>',
        'only these; needed to settle where more than one kind is unexplained',
      ).choices(['entries', 'files', 'suppressions'] satisfies UnexplainedKind[]),
    )
    .addHelpText('after', UNEXPLAINED)
    .exitOverride()
    .action((options: SettleOptions) =>
      run(options, async (context) => {
        const { settleUnexplained } = await import('../archive/settle-unexplained.ts')
        return await settleUnexplained(context, options)
      }),
    )
}

function day(value: string): string {
  if (parseDate(value) === undefined)
    throw new InvalidArgumentError('Expected a day of the calendar, as yyyy-mm-dd.')
  return value
}

const UNEXPLAINED = `
An entry of an erasure or a removal that whoever made it did not vouch for with the key of the evidence may
come of anybody who may write the tables. Neither it nor what was entered after it is signed.
Exit codes: 0 nothing, or settled, 1 something is to be settled, 5 another process works on the account.`

const EXAMPLES = [
  'audit export --from 2026-06-01 --to 2026-06-30',
  'audit export --from 2026-06-01 --to 2026-06-30 --whiteboard WB1 --out /tmp',
  'audit export --from 2026-06-01 --to 2026-06-30 --case case-7 --reason litigation --asked-by "court of X"',
] as const
