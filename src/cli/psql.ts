import { spawn } from 'node:child_process'
import type { Command } from 'commander'
import { environment } from '../config/environment.ts'
import { ConfigurationError } from '../core/errors.ts'
import { untilStopped } from '../core/time/until-stopped.ts'
import { parseDatabaseUrl } from '../warehouse/database-url.ts'
import {
  type DatabaseOption,
  defineCommand,
  oneOf,
  type Runner,
  withDatabase,
} from './frame/command.ts'
import type { Context } from './frame/context.ts'

interface PsqlOptions extends DatabaseOption {
  url?: boolean
  withPassword?: boolean
}

export function psqlCommand(run: Runner): Command {
  const command = defineCommand('psql', 'Open psql on the database, or print its URL', [
    'psql',
    "psql -- -c 'select count(*) from report.users'",
    'psql --url',
  ])
  return withDatabase(command)
    .argument('[arguments...]', 'arguments for psql, after --')
    .option('--url', 'print the database URL; an embedded database runs until Ctrl-C')
    .option('--with-password', 'include the password even if the output is not a terminal')
    .addHelpText(
      'after',
      '\nRuns the psql of this machine with the password in its environment, and returns\n' +
        'its exit code. The URL that --url prints contains the password: keep it secret.',
    )
    .action((words: string[], options: PsqlOptions) =>
      run(
        options,
        (context) => openPsql(context, words, options),
        // psql handles Ctrl-C, which cancels a query.
        { interactive: options.url !== true, databases: oneOf(options) },
      ),
    )
}

/**
 * Opens the machine's psql on the configured database, or prints the address. Starts or joins an embedded
 * server, which runs as long as psql. Exits with psql's exit code.
 */
async function openPsql(
  context: Context,
  words: readonly string[],
  options: PsqlOptions,
): Promise<number> {
  const { openDatabase } = await import('../account/open-database.ts')
  const { config } = await context.loadConfig()
  const database = await openDatabase(config, context.clock)
  try {
    if (options.url === true) return await printUrl(context, database, options)
    const surroundings = psqlEnvironment(database.url, config.database.allowUnverified)
    return await runPsql(words, surroundings, context.signal)
  } finally {
    await database.close()
  }
}

/** Prints the URL. On a terminal and without `--json`, keeps an embedded server running until Ctrl-C. */
async function printUrl(
  { output, signal }: Context,
  { url, embedded }: { url: string; embedded: boolean },
  { withPassword = false, json = false }: PsqlOptions,
): Promise<number> {
  const watched = process.stdout.isTTY && !json
  const shown = watched || withPassword ? url : withoutPassword(url)
  if (shown !== url)
    output.note(
      'The password is left out because the output is not a terminal. Add --with-password.',
    )
  output.line(shown, 'whole')
  output.result({ url: shown, embedded })
  if (!embedded) return 0
  if (watched) {
    output.note('The embedded server keeps running until you press Ctrl-C.')
    await untilStopped(signal)
  } else {
    output.note('The embedded server has this URL as long as a command uses it.')
  }
  return 0
}

function withoutPassword(url: string): string {
  return url.replace(/^([^/]*\/\/[^/?#:@]*):[^/?#]*@/, '$1@')
}

/**
 * Passes the address to psql in the environment, because every user of a machine can see arguments. Omits
 * variables that would redirect psql.
 */
export function psqlEnvironment(
  url: string,
  allowUnverified: boolean,
): Record<string, string | undefined> {
  const { host, port, user, password, database, ssl } = parseDatabaseUrl(url, allowUnverified)
  const { PGSERVICE: _, PGHOSTADDR: __, ...inherited } = environment()
  const [, authority] = /[?&]sslrootcert=([^&#]*)/.exec(url) ?? []
  const tls =
    ssl === false
      ? { PGSSLMODE: 'disable' }
      : {
          PGSSLMODE: 'verify-full',
          PGSSLROOTCERT: decodeURIComponent(authority ?? inherited.PGSSLROOTCERT ?? 'system'),
        }
  return {
    ...inherited,
    ...tls,
    PGHOST: host,
    PGPORT: String(port),
    PGDATABASE: database,
    PGAPPNAME: 'callsheet psql',
    ...(user === undefined ? {} : { PGUSER: user }),
    ...(password === undefined ? {} : { PGPASSWORD: password }),
  }
}

function runPsql(
  words: readonly string[],
  env: Record<string, string | undefined>,
  signal: AbortSignal,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn('psql', words, { stdio: 'inherit', env })
    const stop = (): void => void child.kill('SIGTERM')
    signal.addEventListener('abort', stop)
    child.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'ENOENT' ? noPsql() : error)
    })
    child.once('close', (code) => {
      signal.removeEventListener('abort', stop)
      resolve(code ?? 1)
    })
  })
}

function noPsql(): ConfigurationError {
  return new ConfigurationError('psql_missing', {
    tried: 'Starting psql',
    came: 'there is no program psql on the PATH',
    todo: 'install psql (package postgresql-client), or use another client: callsheet psql --url',
  })
}
