import { type Command, InvalidArgumentError } from 'commander'
import { namedReadings } from '../../sandbox/readings/named-readings.ts'
import { DEFAULT_SIZES, type Sizes } from '../../sandbox/seed-data/options.ts'
import type { Sandbox } from '../../sandbox/server/server.ts'
import { ConfigurationError } from '../core/errors.ts'
import { untilStopped } from '../core/time/until-stopped.ts'
import { quotaSettings } from './demo/quota-settings.ts'
import { type CommonOptions, defineCommand, type Runner } from './frame/command.ts'
import type { Context } from './frame/context.ts'

interface SandboxCommandOptions extends CommonOptions {
  port: number
  seed: number
  scale: number
  reading: readonly string[]
}

export function sandboxCommand(run: Runner): Command {
  return defineCommand('sandbox', 'Run the simulated service on its own', [
    'sandbox',
    'sandbox --port 9000 --scale 0.1',
    'sandbox --reading lastToken=absent',
  ])
    .option('-p, --port <port>', 'port on this machine; 0 picks a free one', number(65_535), 8080)
    .option('--seed <number>', 'seed of the generated company', number(2 ** 31), 1)
    .option('--scale <factor>', 'size of the company; 1 has 20,000 users', number(1000), 1)
    .option(
      '--reading <name=variant>',
      'how to read an ambiguous part of the API documents (repeatable)',
      (given: string, before: string[]) => [...before, given],
      [],
    )
    .action((options: SandboxCommandOptions) =>
      run(options, (context) => runSandbox(context, options)),
    )
}

function number(maximum: number): (value: string) => number {
  return (value) => {
    const parsed = /^\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN
    if (!(parsed <= maximum)) throw new InvalidArgumentError(`Expected a number up to ${maximum}.`)
    return parsed
  }
}

async function runSandbox(context: Context, options: SandboxCommandOptions): Promise<number> {
  const { port, seed, scale } = options
  const { startSandbox } = await import('../../sandbox/server/server.ts')
  const sandbox = await startSandbox({
    port,
    seed,
    sizes: scaled(scale),
    readings: namedReadings(options.reading),
  }).catch((error: unknown) => {
    throw explainPort(error, port)
  })
  const { output, signal } = context
  output.line(`The simulated service answers at ${sandbox.url} until you stop it (Ctrl-C).`)
  output.line(`Its request statistics: ${sandbox.url}/__sandbox/stats`)
  output.line('\nTo sync it, put this in config.yaml:\n')
  for (const line of settingsFor(sandbox)) output.line(line, 'whole')
  output.result({ url: sandbox.url, seed, credentials: sandbox.credentials })
  await untilStopped(signal)
  await sandbox.close()
  return 0
}

function explainPort(error: unknown, port: number): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (code !== 'EADDRINUSE' && code !== 'EACCES') return error
  return new ConfigurationError('port_unavailable', {
    tried: `Listening on port ${port} of this machine`,
    came:
      code === 'EACCES'
        ? 'this user is not allowed to open the port'
        : 'another program is using the port',
    todo: 'choose another port with --port (0 picks a free one)',
  })
}

function scaled(factor: number): Sizes {
  const entries = Object.entries(DEFAULT_SIZES).map(([name, size]) => [
    name,
    Math.max(1, Math.round(size * factor)),
  ])
  return Object.fromEntries(entries) as Sizes
}

/**
 * Returns settings with inline credentials, which is safe here because this service exists only on this
 * machine.
 */
function settingsFor({ baseUrl, authUrl, credentials, quotas }: Sandbox): string[] {
  return [
    'accounts:',
    ...credentials.flatMap((app, index) => [
      `  - name: sandbox${index === 0 ? '' : `-${index + 1}`}`,
      `    baseUrl: ${baseUrl}`,
      `    authUrl: ${authUrl}`,
      `    accountId: ${app.accountId}`,
      `    clientId: ${app.clientId}`,
      `    clientSecret: ${app.clientSecret}`,
      `    videoSessions: {apiKey: ${app.apiKey}, apiSecret: ${app.apiSecret}}`,
      '    quotas:',
      ...Object.entries(quotaSettings(quotas)).map(
        ([label, limits]) => `      ${label}: ${flow(limits)}`,
      ),
    ]),
  ]
}

/** Formats limits as YAML on one line: `{perSecond: 1000, perDay: 9}`. */
function flow(limits: Record<string, number>): string {
  const parts = Object.entries(limits).map(([name, value]) => `${name}: ${value}`)
  return `{${parts.join(', ')}}`
}
