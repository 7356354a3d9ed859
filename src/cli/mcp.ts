import type { Command } from 'commander'
import { ConfigurationError } from '../core/errors.ts'
import {
  type DatabaseOption,
  defineCommand,
  oneOf,
  type Runner,
  withDatabase,
} from './frame/command.ts'
import type { Context } from './frame/context.ts'
import type { McpCommands } from './mcp/command-tools.ts'
import type { UseReader } from './mcp/read-tools.ts'

export function mcpCommand(run: Runner): Command {
  const command = defineCommand(
    'mcp',
    'Answer questions of an AI client over the tables, read only',
    ['mcp'],
  )
  return withDatabase(command)
    .addHelpText(
      'after',
      '\nA server of the Model Context Protocol on standard input and output, which an AI\n' +
        'client starts. It needs a database role that may read the schema report only\n' +
        '(mcp.user, mcp.password). The client sees the rows, with personal data.',
    )
    .action((options: DatabaseOption) =>
      run(options, (context) => answerClient(context), {
        keepsRunning: true,
        databases: oneOf(options),
      }),
    )
}

/** Answers until the client closes its end, or a signal stops the command. */
async function answerClient(context: Context): Promise<number> {
  const { openDatabase } = await import('../account/open-database.ts')
  const { connect } = await import('../warehouse/connect.ts')
  const { refuseMoreRights } = await import('../warehouse/reporter-rights.ts')
  const { commandTools } = await import('./mcp/command-tools.ts')
  const { readTools } = await import('./mcp/read-tools.ts')
  const { serveTools } = await import('./mcp/serve-tools.ts')
  const { version } = await import('./frame/version.ts')
  const { config } = await context.loadConfig()
  const { user, password } = config.mcp
  if (password === null) throw noPassword(user)
  const database = await openDatabase(config, context.clock)
  try {
    const using: UseReader = async (work) => {
      const reader = connect({
        url: database.url,
        login: { user, password: password.reveal() },
        allowUnverified: config.database.allowUnverified,
        poolSize: 1,
        applicationName: 'callsheet mcp',
      })
      try {
        return await work(reader)
      } finally {
        await reader.close()
      }
    }
    await using((reader) => refuseMoreRights(reader.db, user))
    const names = config.accounts.map(({ name }) => name)
    const { tools: reading, wholeness } = readTools(using, names)
    const tools = { ...reading, ...commandTools(silentCommands(context), wholeness) }
    const gone = clientGone(context.signal)
    await serveTools(tools, { version: version(), note: context.output.note })
    await gone
    return 0
  } finally {
    await database.close()
  }
}

/** Resolves when the client closes standard input or output, or at the signal. No message ends a session. */
function clientGone(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    process.stdin.once('end', resolve).once('close', resolve)
    process.stdout.once('error', resolve)
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** Runs commands, and returns their JSON. Only their notes are printed. */
function silentCommands(context: Context): McpCommands {
  const resultOf = async <T>(work: (inner: Context) => Promise<number>): Promise<T> => {
    let result: unknown
    const keep = (value: unknown): void => void (result = value)
    const silent = { terminal: false, line: () => {}, table: () => {}, result: keep }
    await work({ ...context, output: { ...context.output, ...silent } })
    return result as T
  }
  return {
    async status(options) {
      const { showStatus } = await import('./status.ts')
      return await resultOf((inner) => showStatus(inner, options))
    },
    async report(name, options) {
      const { makeReports } = await import('./report.ts')
      return await resultOf((inner) => makeReports(inner, name, options))
    },
  }
}

function noPassword(user: string): ConfigurationError {
  return new ConfigurationError('mcp_login_missing', {
    tried: 'Connecting to the database for AI clients',
    expected: 'the password of a role that may read the schema report only',
    came: 'mcp.password is not set',
    todo:
      `as the administrator of the server, run: create role ${user} login password ...; then ` +
      `callsheet migrate --reporter ${user}, and set mcp.password to env:NAME`,
  })
}
