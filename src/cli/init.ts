import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Command } from 'commander'
import { environment } from '../config/environment.ts'
import { evidenceKey } from '../config/evidence-key.ts'
import { tokenKey } from '../config/token-key.ts'
import { ConfigurationError } from '../core/errors.ts'
import { readSigningKey } from '../evidence/log/signing-key.ts'
import { asOneWord, calledAs } from './frame/called-as.ts'
import { type CommonOptions, defineCommand, type Runner } from './frame/command.ts'
import type { Context } from './frame/context.ts'
import { packageFile } from './frame/own-files.ts'

export function initCommand(run: Runner): Command {
  return defineCommand('init', 'Create a configuration file and the keys it needs', [
    'init',
    'init --config /etc/callsheet/config.yaml --json',
  ])
    .addHelpText('after', '\nRunning it again updates the schema file and changes nothing else.')
    .action((options: CommonOptions) => run(options, (context) => initialise(context, options)))
}

/** Writes a short configuration if there is none, makes the keys, and says what to do next. */
async function initialise({ output }: Context, options: CommonOptions): Promise<number> {
  const { catalog } = await import('../account/catalog.ts')
  const { configJsonSchema } = await import('../config/json-schema.ts')
  const { loadConfig } = await import('../config/load-config.ts')
  const path = options.config ?? environment().CALLSHEET_CONFIG ?? 'config.yaml'
  const made = !existsSync(path)
  if (made) writeConfiguration(path)
  const { config, file } = loadConfig({ path, ...catalog, environment: environment() })
  const schema = writeSchema(path, configJsonSchema(catalog))
  tokenKey(config)
  const { pem, source } = evidenceKey(config)
  const { fingerprint } = readSigningKey(pem, source).publicKey
  output.line(made ? `created ${file}` : `${file} already exists and stays unchanged`)
  if (schema !== undefined)
    output.line(`created ${schema}, which editors use to check the configuration`)
  output.line(`evidence key: ${source}`)
  output.line(`fingerprint:  ${fingerprint}`)
  const next = nextSteps(options)
  output.line('\nNext:')
  for (const step of next) output.line(`  ${step}`)
  output.result({ config: file, made, key: { source, fingerprint }, next })
  return 0
}

function nextSteps({ config }: CommonOptions): string[] {
  const named = config === undefined ? '' : ` --config ${asOneWord(config)}`
  return [
    'save the fingerprint elsewhere: auditors need it to check the evidence',
    'back up the key: without it, the signed log cannot continue',
    `enter your account in the configuration, then run: ${calledAs('callsheet')} doctor${named}`,
  ]
}

/**
 * Writes a short configuration, but never overwrites one that appears meanwhile. Its first line points
 * editors to the schema beside it.
 */
function writeConfiguration(path: string): void {
  const schema = basename(schemaBeside(path))
  const text = shortConfiguration({ schema, example: packageFile('config.example.yaml') })
  try {
    writeFileSync(path, text, { flag: 'wx' })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') throw isThere(path)
    throw code === 'ENOENT' && !existsSync(dirname(path)) ? noFolder(path) : error
  }
}

/**
 * Writes this version's schema beside the configuration, replacing an earlier version. Keeps a file of that
 * name that is not a Callsheet schema, and skips a folder that is not writable. Returns the path if it was
 * written.
 */
function writeSchema(configuration: string, text: string): string | undefined {
  const path = schemaBeside(configuration)
  if (existsSync(path)) {
    const before = readFileSync(path, 'utf8')
    if (before === text || !before.includes(OURS)) return undefined
  }
  try {
    writeFileSync(path, text)
    return path
  } catch (error) {
    if (NOT_OURS.has((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}

function schemaBeside(configuration: string): string {
  return join(dirname(configuration), 'config.schema.json')
}

function isThere(path: string): ConfigurationError {
  return new ConfigurationError('configuration_not_made', {
    tried: `Creating the configuration ${path}`,
    expected: 'no file of that name',
    came: 'something that cannot be read, such as a broken link',
    todo: 'move it away, or choose another file with --config',
  })
}

function noFolder(path: string): ConfigurationError {
  return new ConfigurationError('configuration_folder_missing', {
    tried: `Creating the configuration ${path}`,
    expected: 'an existing folder',
    came: `there is no folder ${dirname(path)}`,
    todo: 'create the folder, or choose another file with --config',
  })
}

/**
 * The configuration that `init` writes: settings without a default, and a pointer to all others. Editors
 * check it against `schema`; `example` contains every setting.
 */
function shortConfiguration({ schema, example }: { schema: string; example: string }) {
  return `# yaml-language-server: $schema=./${schema}
#
# What is left out has its default. Every setting, with its default and the reason for it:
# ${example}
# Secrets are named, not written: env:NAME reads an environment variable, file:path a file (mode 0600).
# Relative paths start from the folder that this file lies in.

accounts:
  # The name is in every row, so never change it later. More accounts follow as further entries of the list.
  - name: main
    # Where the API answers, with its version, and the authorization server.
    baseUrl: https://api.svc.example/v2
    authUrl: https://svc.example
    # The kind of app: server-to-server, chatbot, user-authorized, public-client or device.
    app: server-to-server
    # From the app page of the service; identifiers that are made of digits stand in quotes.
    accountId: your-account-id
    clientId: your-client-id
    clientSecret: env:CALLSHEET_CLIENT_SECRET
    # For video sessions and recordings; without them those jobs cannot run.
    # videoSessions: {apiKey: your-key, apiSecret: env:CALLSHEET_VIDEO_SECRET}

database:
  # A Postgres 15 or newer, e.g. env:DATABASE_URL. null starts an embedded one, enough for one machine.
  url: null
`
}

const NOT_OURS = new Set(['EACCES', 'EPERM', 'EROFS'])
const OURS = '"title": "Callsheet configuration"'
