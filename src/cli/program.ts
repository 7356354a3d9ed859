import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { alertCommand } from './commands/alert.ts'
import { applyCommand } from './commands/apply.ts'
import { archiveCommand } from './commands/archive/archive.ts'
import { auditCommand } from './commands/audit.ts'
import { callCommand } from './commands/call.ts'
import { configSchemaCommand } from './commands/config-schema.ts'
import { demoCommand } from './commands/demo.ts'
import { doctorCommand } from './commands/doctor.ts'
import { eraseCommand } from './commands/erase.ts'
import { exportCommand } from './commands/export.ts'
import { initCommand } from './commands/init.ts'
import { ledgerCommand } from './commands/ledger/ledger.ts'
import { loginCommand } from './commands/login.ts'
import { logoutCommand } from './commands/logout.ts'
import { migrateCommand } from './commands/migrate.ts'
import { operationsCommand } from './commands/operations.ts'
import { planCommand } from './commands/plan.ts'
import { psqlCommand } from './commands/psql.ts'
import { reportCommand } from './commands/report.ts'
import { restoredCommand } from './commands/restored/restored.ts'
import { runsCommand } from './commands/runs.ts'
import { sandboxCommand } from './commands/sandbox.ts'
import { serveCommand } from './commands/serve.ts'
import { statusCommand } from './commands/status.ts'
import { syncCommand } from './commands/sync.ts'
import { verifyCommand } from './commands/verify.ts'
import { workCommand } from './commands/work.ts'
import { calledAs } from './frame/called-as.ts'
import type { Runner } from './frame/command.ts'
import { packageFile } from './frame/own-files.ts'

/** The command line. Only words and options are known here; what a command does is imported when it runs. */
export function buildProgram(run: Runner): Command {
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
  for (const define of COMMANDS) program.addCommand(define(run))
  program.addCommand(configSchemaCommand(run), { hidden: true })
  overrideExit(program)
  return program
}

function overrideExit(command: Command): void {
  command.exitOverride()
  for (const inner of command.commands) overrideExit(inner)
}

const COMMANDS = [
  initCommand,
  syncCommand,
  archiveCommand,
  planCommand,
  reportCommand,
  exportCommand,
  statusCommand,
  runsCommand,
  alertCommand,
  verifyCommand,
  auditCommand,
  eraseCommand,
  ledgerCommand,
  loginCommand,
  logoutCommand,
  doctorCommand,
  psqlCommand,
  operationsCommand,
  callCommand,
  applyCommand,
  serveCommand,
  workCommand,
  migrateCommand,
  restoredCommand,
  sandboxCommand,
  demoCommand,
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
