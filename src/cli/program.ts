import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { calledAs } from './frame/called-as.ts'
import { defineCommand, type Runner } from './frame/command.ts'
import { packageFile } from './frame/own-files.ts'

/** How a command is called, what it is for, and where it is. */
type Listed = readonly [called: string, summary: string, load: Load]

type Load = () => Promise<(run: Runner) => Command>

/**
 * The command line. To list the commands it needs the table alone; the file of a command, with its words and
 * its work, is loaded for those of the names that `isNamed`.
 */
export async function buildProgram(
  run: Runner,
  isNamed: (name: string) => boolean,
): Promise<Command> {
  const program = new Command(CALLED)
    .description(
      "Keeps a communications platform's account complete, and provably so, in Postgres, " +
        'and makes from it the workbooks that managers and auditors ask for.',
    )
    .version(version(), '-V, --version')
    .showSuggestionAfterError()
    .showHelpAfterError('(add --help for what there is)')
    .addHelpText('after', START)
    .helpCommand(false)
    // Commands with commands of their own need it: else the outer one takes the options of the inner.
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
    'Make a configuration and the keys, where there are none yet',
    async () => (await import('./init.ts')).initCommand,
  ],
  [
    'sync [jobs...]',
    'Read what is due from the service into the warehouse',
    async () => (await import('./sync.ts')).syncCommand,
  ],
  [
    'archive',
    'Fetch the files that are still to be archived, and keep them as long as they must be kept',
    async () => (await import('./archive.ts')).archiveCommand,
  ],
  [
    'plan [jobs...]',
    'Say which calls a sync would make and when it would end',
    async () => (await import('./plan.ts')).planCommand,
  ],
  [
    'report [name]',
    'Make a report from the warehouse',
    async () => (await import('./report.ts')).reportCommand,
  ],
  [
    'export [stream...]',
    'Write tables of the warehouse as Parquet or CSV files',
    async () => (await import('./export.ts')).exportCommand,
  ],
  [
    'status',
    'Show whether all is well, and how complete and how fresh the warehouse is',
    async () => (await import('./status.ts')).statusCommand,
  ],
  [
    'runs [id]',
    'List the latest runs, or show one in detail',
    async () => (await import('./runs.ts')).runsCommand,
  ],
  [
    'alert',
    'Show which alerts are open, or try how they are told',
    async () => (await import('./alert.ts')).alertCommand,
  ],
  [
    'verify',
    'Check that nothing in the archive was altered, and name what was',
    async () => (await import('./verify.ts')).verifyCommand,
  ],
  ['audit', 'What an auditor is given', async () => (await import('./audit.ts')).auditCommand],
  [
    'erase',
    'Take a person out of everything that is kept, for good',
    async () => (await import('./erase.ts')).eraseCommand,
  ],
  [
    'ledger',
    'Keep the ledgers, which grow with each night, small',
    async () => (await import('./ledger.ts')).ledgerCommand,
  ],
  [
    'login',
    'Let a person allow the app, once; later runs renew it',
    async () => (await import('./login.ts')).loginCommand,
  ],
  [
    'logout',
    "Revoke an account's token, and forget it",
    async () => (await import('./logout.ts')).logoutCommand,
  ],
  [
    'doctor',
    'Check everything a sync needs, and say what to do',
    async () => (await import('./doctor.ts')).doctorCommand,
  ],
  [
    'psql [arguments...]',
    'Open psql on the database, or print its address for other clients',
    async () => (await import('./psql.ts')).psqlCommand,
  ],
  [
    'operations [id]',
    'List every call of the service, or show one in detail',
    async () => (await import('./operations.ts')).operationsCommand,
  ],
  [
    'call [operation]',
    'Call one operation of the service',
    async () => (await import('./call.ts')).callCommand,
  ],
  [
    'apply <file>',
    'Make the account as a file says: an edited workbook, or YAML',
    async () => (await import('./apply.ts')).applyCommand,
  ],
  [
    'serve',
    'Keep running: jobs when they are due, notifications, health',
    async () => (await import('./serve.ts')).serveCommand,
  ],
  [
    'migrate',
    'Bring the database to this version; sync does so by itself',
    async () => (await import('./migrate.ts')).migrateCommand,
  ],
  [
    'restored',
    'Go on after the database was restored from a backup',
    async () => (await import('./restored.ts')).restoredCommand,
  ],
  [
    'sandbox',
    'Run the simulated service alone, to try things against',
    async () => (await import('./sandbox.ts')).sandboxCommand,
  ],
  [
    'demo',
    'Run everything against a simulated company, from nothing to workbooks',
    async () => (await import('./demo.ts')).demoCommand,
  ],
]

const CONFIG_SCHEMA: Listed = [
  'config-schema',
  'Print the JSON schema of the configuration, for editors',
  async () => (await import('./config-schema.ts')).configSchemaCommand,
]

const CALLED = calledAs('callsheet')
const START = `
Start with:
  $ ${CALLED} init     make config.yaml and keys; fill in the account
  $ ${CALLED} doctor   check it
  $ ${CALLED} sync     read everything`

function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(packageFile('package.json'), 'utf8'))
  return (manifest as { version: string }).version
}
