import { type Command, InvalidArgumentError } from 'commander'
import { REPORT_FORMATS } from '../../core/define/report-format.ts'
import type { ReportOptions } from '../actions/make-reports.ts'
import { collect, defineCommand, type Runner } from '../frame/command.ts'
import { day, moment } from '../frame/moments.ts'

export function reportCommand(run: Runner): Command {
  return defineCommand('report', 'Make a report from the warehouse', [
    'report session-quality',
    'report session-quality --month 2026-04 --month 2026-05',
    'report number-inventory --format xlsx --out /tmp',
    'report whiteboard-audit --from 2026-06-01 --to 2026-06-14 --whiteboard ID',
    'report whiteboard-person --user ID --month 2026-06',
    'report reconciliation --day 2026-06-30',
    'report session-quality --month 2026-05 --as-of 2026-06-03',
    'report number-inventory --since 2026-06-01',
    'report recordings',
  ])
    .argument('[name]', 'which report; without a name the list of them')
    .option('-a, --account <name>', 'only this account')
    .option('-m, --month <yyyy-mm>', 'for a monthly report; may be given several times', month)
    .option('--day <yyyy-mm-dd>', 'for a daily report; the last full day without it', day)
    .option('--from <yyyy-mm-dd>', 'the first day, for a report over days', day)
    .option('--to <yyyy-mm-dd>', 'the last day', day)
    .option('--whiteboard <id>', 'only this board, where the report has them')
    .option('--user <id>', 'only this user, by ID or e-mail address, where the report has them')
    .option('--timezone <zone>', 'the zone whose days and months count')
    .option(
      '--as-of <when>',
      'by the runs that had ended by the end of a day, or by an instant',
      moment,
    )
    .option('--since <when>', 'and what changed since then; the report before without it', moment)
    .option('-f, --format <format>', `${FORMATS}; may be given several times`, format)
    .option('-o, --out <folder>', 'where the files are written')
    .addHelpText(
      'after',
      '\nExit code 4: made, but a part of the data was not read. What of the month that runs now came ' +
        'after the last sync is no such part, for a day and a half.',
    )
    .action((name: string | undefined, options: ReportOptions) =>
      run(options, async (context) => {
        const { makeReports } = await import('../actions/make-reports.ts')
        return await makeReports(context, name, options)
      }),
    )
}

function month(value: string, before?: readonly string[]): string[] {
  if (!/^20\d{2}-(0[1-9]|1[0-2])$/.test(value))
    throw new InvalidArgumentError('Expected a month from 2000-01 to 2099-12, as yyyy-mm.')
  return collect(value, before)
}

function format(value: string, before?: readonly string[]): string[] {
  if (!REPORT_FORMATS.some((known) => known === value))
    throw new InvalidArgumentError(`Expected ${FORMATS}.`)
  return collect(value, before)
}

const FORMATS = `${REPORT_FORMATS.slice(0, -1).join(', ')} or ${REPORT_FORMATS.at(-1)}`
