import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Command } from 'commander'
import { environment } from '../config/environment.ts'
import { evidenceKey } from '../config/evidence-key.ts'
import { tokenKey } from '../config/token-key.ts'
import { readSigningKey } from '../evidence/log/signing-key.ts'
import { somebodyIsThere } from './apply/ask.ts'
import type { Finding } from './doctor/findings.ts'
import { asCalled, asOneWord, calledAs } from './frame/called-as.ts'
import { type CommonOptions, defineCommand, type Runner } from './frame/command.ts'
import type { Context } from './frame/context.ts'
import { isFilledIn } from './init/configuration.ts'
import type { SetUp } from './init/set-up.ts'
import { writeConfiguration, writeSchema } from './init/write-files.ts'

export function initCommand(run: Runner): Command {
  return defineCommand('init', 'Create a configuration file and the keys it needs', [
    'init',
    'init --config /etc/callsheet/config.yaml --json',
  ])
    .addHelpText('after', HELP)
    .action((options: CommonOptions) =>
      run(options, (context) => initialise(context, options), { databases: 'all' }),
    )
}

/** Writes a configuration unless one exists and is kept, creates missing keys, and prints the next steps. */
async function initialise(context: Context, options: CommonOptions): Promise<number> {
  const { catalog } = await import('../account/catalog.ts')
  const { configJsonSchema } = await import('../config/json-schema.ts')
  const { loadConfig } = await import('../config/load-config.ts')
  const { output } = context
  const path = options.config ?? environment().CALLSHEET_CONFIG ?? 'config.yaml'
  const asks = somebodyIsThere() && options.json !== true
  const { made, failed } = asks
    ? await askAndWrite(path, context)
    : { made: !existsSync(path), failed: [] }
  if (made && !asks) writeConfiguration(path)
  if (!existsSync(path)) return 1
  const { config, file } = loadConfig({ path, ...catalog, environment: environment() })
  const schema = writeSchema(path, configJsonSchema(catalog))
  tokenKey(config)
  const { pem, source } = evidenceKey(config)
  const { fingerprint } = readSigningKey(pem, source).publicKey
  output.line(made ? `created ${file}` : `${file} already exists and stays unchanged`)
  if (schema !== undefined)
    output.line(
      `created ${join(dirname(file), schema)}, which editors use to check the configuration`,
    )
  output.line(`evidence key: ${source}`)
  output.line(`fingerprint:  ${fingerprint}`)
  const next = nextSteps(options, { file, failed, filledIn: isFilledIn(config.accounts) })
  output.line('\nNext:')
  for (const step of next) output.line(`- ${step}`)
  output.result({ config: file, made, key: { source, fingerprint }, next })
  return 0
}

async function askAndWrite(path: string, { clock, signal }: Context): Promise<SetUp> {
  const { liveChecks } = await import('./init/checks.ts')
  const { setUp } = await import('./init/set-up.ts')
  const { stdin: input, stderr: output } = process
  return await setUp(path, { input, output, signal, terminal: true }, liveChecks(clock))
}

function nextSteps(
  { config }: CommonOptions,
  { file, failed, filledIn }: { file: string; failed: readonly Finding[]; filledIn: boolean },
): string[] {
  const named = config === undefined ? '' : ` --config ${asOneWord(config)}`
  const doctor = `${calledAs('callsheet')} doctor${named}`
  return [
    ...failed.map(
      ({ check, text, todo = text }) => `fix the ${check}, whose check failed: ${asCalled(todo)}`,
    ),
    ...(filledIn ? [] : [`enter your account in ${file}`]),
    `check everything that a sync needs: ${doctor}`,
    'save the fingerprint elsewhere: auditors need it to check the evidence',
    'back up the key: without it, the signed log cannot continue',
  ]
}

const HELP = `
On a terminal, init asks for the account and the database and checks each
answer. It writes secrets to files that only you can read. Elsewhere, it writes
a configuration for you to fill in. It never replaces a file without a yes.`
