import type { Command } from 'commander'
import type { PsqlOptions } from '../actions/open-psql.ts'
import { defineCommand, type Runner } from '../frame/command.ts'

export function psqlCommand(run: Runner): Command {
  return defineCommand(
    'psql',
    'Open psql on the database, or print its address for other clients',
    ['psql', "psql -- -c 'select * from report.session_reports limit 10'", 'psql --url'],
  )
    .argument('[arguments...]', 'what psql is given, after --')
    .option('--url', 'print the address of the database instead; an embedded one runs until Ctrl-C')
    .option('--with-password', 'print the password in it too where the output is no terminal')
    .addHelpText(
      'after',
      '\nThe psql of this machine is used, and its exit code is that of the command. It gets the password\n' +
        'in its environment. The address that --url prints has it, so treat it as a secret.',
    )
    .action((words: string[], options: PsqlOptions) =>
      run(
        options,
        async (context) => {
          const { openPsql } = await import('../actions/open-psql.ts')
          return await openPsql(context, words, options)
        },
        // Ctrl-C is for psql, which stops a query by it.
        { keepsRunning: false, interactive: options.url !== true },
      ),
    )
}
