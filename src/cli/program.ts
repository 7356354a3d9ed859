import { Command } from 'commander'
import { calledAs } from './frame/called-as.ts'
import { defineCommand, type Runner } from './frame/command.ts'
import { version } from './frame/version.ts'

/** A command's usage, its summary, and the loader of its file. */
type Listed = readonly [called: string, summary: string, load: Load]

type Load = () => Promise<(run: Runner) => Command>

/**
 * Builds the command line. `COMMANDS` is enough to list the commands; a command's file is loaded only if
 * `isNamed` accepts its name.
 */
export async function buildProgram(
  run: Runner,
  isNamed: (name: string) => boolean,
): Promise<Command> {
  const program = new Command(CALLED)
    .description(
      "Syncs a communications platform's account into Postgres, proves that the copy is complete, " +
        'and creates workbooks for managers and auditors.',
    )
    .version(version(), '-V, --version')
    .showSuggestionAfterError()
    .showHelpAfterError('(add --help for usage)')
    .addHelpText('after', START)
    .helpCommand(false)
    // Without this, a command with subcommands would parse the options of its subcommands itself.
    .enablePositionalOptions()
  for (const listed of COMMANDS) program.addCommand(await commandOf(listed, run, isNamed))
  program.addCommand(await commandOf(CONFIG_SCHEMA, run, isNamed), { hidden: true })
  overrideExit(program)
  return program
}

async function commandOf(
  [called, summary, load]: Listed,
  run: Runner,
  isNamed: (name: string) => boolean,
): Promise<Command> {
  const [name = '', ...parameters] = called.split(' ')
  if (isNamed(name)) return (await load())(run)
  const listed = defineCommand(name, summary, [])
  for (const parameter of parameters) listed.argument(parameter)
  return listed
}

function overrideExit(command: Command): void {
  command.exitOverride()
  for (const inner of command.commands) overrideExit(inner)
}

const COMMANDS: readonly Listed[] = [
  [
    'init',
    'Create a configuration file and the keys it needs',
    async () => (await import('./init.ts')).initCommand,
  ],
  [
    'sync [jobs...]',
    'Sync due data from the service into the database',
    async () => (await import('./sync.ts')).syncCommand,
  ],
  [
    'archive',
    'Download pending archive files and apply retention rules',
    async () => (await import('./archive.ts')).archiveCommand,
  ],
  [
    'plan [jobs...]',
    'Estimate the API calls and duration of the next sync',
    async () => (await import('./plan.ts')).planCommand,
  ],
  [
    'preview <stream>',
    'Show ten records of a stream as they would be stored',
    async () => (await import('./preview.ts')).previewCommand,
  ],
  [
    'report [name]',
    'Create a report from the synced data',
    async () => (await import('./report.ts')).reportCommand,
  ],
  [
    'export [stream...]',
    'Export tables as Parquet or CSV files, or to a data lake',
    async () => (await import('./export.ts')).exportCommand,
  ],
  [
    'status',
    'Show account health, coverage and data freshness',
    async () => (await import('./status.ts')).statusCommand,
  ],
  [
    'runs [id]',
    'List recent runs, or show one in detail',
    async () => (await import('./runs.ts')).runsCommand,
  ],
  [
    'alert',
    'List open alerts, or send a test alert',
    async () => (await import('./alert.ts')).alertCommand,
  ],
  [
    'verify',
    'Verify that synced data and archived files were not altered',
    async () => (await import('./verify.ts')).verifyCommand,
  ],
  [
    'audit',
    'Export evidence for an auditor',
    async () => (await import('./audit.ts')).auditCommand,
  ],
  [
    'erase',
    'Permanently erase a person from the database, files and reports',
    async () => (await import('./erase.ts')).eraseCommand,
  ],
  ['ledger', 'Prune old ledger months', async () => (await import('./ledger.ts')).ledgerCommand],
  [
    'login',
    'Authorize an app that needs a person to sign in once',
    async () => (await import('./login.ts')).loginCommand,
  ],
  [
    'logout',
    "Revoke and delete an account's token",
    async () => (await import('./logout.ts')).logoutCommand,
  ],
  [
    'doctor',
    'Check everything a sync needs, and show how to fix it',
    async () => (await import('./doctor.ts')).doctorCommand,
  ],
  [
    'psql [arguments...]',
    'Open psql on the database, or print its URL',
    async () => (await import('./psql.ts')).psqlCommand,
  ],
  [
    'operations [id]',
    'List API operations, or show one in detail',
    async () => (await import('./operations.ts')).operationsCommand,
  ],
  [
    'call [operation]',
    'Call an API operation',
    async () => (await import('./call.ts')).callCommand,
  ],
  [
    'apply <file>',
    'Apply an edited workbook or YAML file to the account',
    async () => (await import('./apply.ts')).applyCommand,
  ],
  [
    'serve',
    'Run scheduled jobs, receive notifications, report health',
    async () => (await import('./serve.ts')).serveCommand,
  ],
  [
    'mcp',
    'Answer questions of an AI client over the tables, read only',
    async () => (await import('./mcp.ts')).mcpCommand,
  ],
  [
    'migrate',
    'Migrate the database (sync does this automatically)',
    async () => (await import('./migrate.ts')).migrateCommand,
  ],
  [
    'move <account>',
    'Move an account to the database that its setting names',
    async () => (await import('./move.ts')).moveCommand,
  ],
  [
    'restored',
    'Resume after restoring the database from a backup',
    async () => (await import('./restored.ts')).restoredCommand,
  ],
  [
    'sandbox',
    'Run the simulated service on its own',
    async () => (await import('./sandbox.ts')).sandboxCommand,
  ],
  [
    'demo',
    'Try everything against a simulated company',
    async () => (await import('./demo.ts')).demoCommand,
  ],
  [
    'completion <shell>',
    'Print a script that completes commands in a shell',
    async () => (await import('./completion.ts')).completionCommand,
  ],
]

const CONFIG_SCHEMA: Listed = [
  'config-schema',
  'Print the JSON Schema of the configuration file',
  async () => (await import('./config-schema.ts')).configSchemaCommand,
]

const CALLED = calledAs('callsheet')
const START = `
Get started:
  $ ${CALLED} init     set up an account, a database and keys
  $ ${CALLED} doctor   check the configuration and the connection
  $ ${CALLED} sync     read all data`
