import { type Command, Option } from 'commander'
import { TABLE_FORMATS } from '../../core/define/report-format.ts'
import type { ExportTablesOptions } from '../actions/export-tables.ts'
import { defineCommand, type Runner } from '../frame/command.ts'
import { moment } from '../frame/moments.ts'

export function exportCommand(run: Runner): Command {
  return defineCommand('export', 'Write tables of the warehouse as Parquet or CSV files', [
    'export users phone_numbers',
    'export session_reports --format csv --out /tmp',
    'export phone_numbers --as-of 2026-06-03',
  ])
    .argument('[stream...]', 'which tables; without a name the list of them')
    .option('-a, --account <name>', 'only this account')
    .addOption(
      new Option('-f, --format <format>', 'what is written')
        .choices(TABLE_FORMATS)
        .default('parquet'),
    )
    .option('--as-of <when>', 'as it was read by the end of a day, or by an instant', moment)
    .option('-o, --out <folder>', 'where the files are written')
    .addHelpText('after', '\nExit code 4: written, but a part of a table was not read.')
    .action((names: string[], options: ExportTablesOptions) =>
      run(options, async (context) => {
        const { exportTables } = await import('../actions/export-tables.ts')
        return await exportTables(context, names, options)
      }),
    )
}
