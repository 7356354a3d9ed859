import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import type { SandboxOptions } from '../../sandbox/seed-data/options.ts'
import { type Sandbox, startSandbox } from '../../sandbox/server/server.ts'
import { testDatabase } from '../helpers/database.ts'
import { TINY } from '../helpers/world.ts'

export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

/** A started command; `ended` resolves with its exit code and output. */
export interface Started {
  child: ChildProcess
  ended: Promise<Ended>
}

export interface Surroundings {
  environment?: Record<string, string>
  /** True if the test writes to the command's standard input. */
  typing?: boolean
  /** Words before the command, e.g. a program that gives it a small disk. */
  within?: readonly string[]
}

/** Starts `callsheet` as a process in a folder with a configuration. */
export function start(
  args: readonly string[],
  { folder, environment = {}, typing = false, within = [] }: Surroundings & { folder: string },
): Started {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const { callsheet } = inject('programs')
  const [program = '', ...words] = [...within, process.execPath, callsheet, ...args]
  const child = spawn(program, words, {
    cwd: folder,
    env: { PATH, NODE_COMPILE_CACHE, HOME: folder, NO_COLOR: '1', ...environment },
    stdio: [typing ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  })
  const said = { stdout: '', stderr: '' }
  child.stdout?.on('data', (chunk: Buffer) => (said.stdout += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (said.stderr += chunk.toString()))
  const ended = new Promise<Ended>((resolve) =>
    child.on('close', (code) => resolve({ code, ...said })),
  )
  return { child, ended }
}

export interface Workbench {
  folder: string
  sandbox: Sandbox
  databaseUrl: string
  /** Writes the configuration of one account on the sandbox; `changes` replace lines of the same name. */
  configure(changes?: { account?: readonly string[]; top?: readonly string[] }): void
  run(...args: string[]): Promise<Ended>
  start(...args: string[]): Started
  startWith(more: Surroundings, ...args: string[]): Started
  close(): Promise<void>
}

export async function openWorkbench(options: SandboxOptions = {}): Promise<Workbench> {
  const folder = mkdtempSync(join(tmpdir(), 'callsheet-cli-'))
  const database = await testDatabase()
  const sandbox = await startSandbox({ sizes: TINY, ...options })
  const environment = secretsOf(database.url)
  const bench: Workbench = {
    folder,
    sandbox,
    databaseUrl: database.url,
    configure: ({ account = [], top = [] } = {}) =>
      writeFileSync(join(folder, 'config.yaml'), configuration(sandbox, account, top)),
    start: (...args) => start(args, { folder, environment }),
    startWith: ({ environment: more = {}, ...rest }, ...args) =>
      start(args, { ...rest, folder, environment: { ...environment, ...more } }),
    run: (...args) => bench.start(...args).ended,
    async close() {
      await sandbox.close()
      await database.drop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  bench.configure()
  return bench
}

/** The environment variables that the configuration refers to. */
export const secretsOf = (databaseUrl: string) => ({
  DATABASE: databaseUrl,
  SECRET: 'client-secret-1',
  KEY: 'video-secret-1',
})

/** Sets the sandbox's faults as another process would. */
export async function breakService({ url }: Sandbox, rules: readonly object[]): Promise<void> {
  await fetch(`${url}/__sandbox/faults`, { method: 'POST', body: JSON.stringify({ rules }) })
}

export function configuration(
  { baseUrl, authUrl }: Pick<Sandbox, 'baseUrl' | 'authUrl'>,
  account: readonly string[] = [],
  top: readonly string[] = [],
): string {
  const lines = [
    'name: main',
    `baseUrl: ${baseUrl}`,
    `authUrl: ${authUrl}`,
    'accountId: acct-1',
    'clientId: client-1',
    'clientSecret: env:SECRET',
    'videoSessions: {apiKey: video-key-1, apiSecret: env:KEY}',
    'quotas: {LIGHT: {perSecond: 900}, MEDIUM: {perSecond: 900}, RESOURCE-INTENSIVE: {perMinute: 6000}}',
  ]
  const replaced = lines.map(
    (line) => account.find((other) => nameOf(other) === nameOf(line)) ?? line,
  )
  const more = account.filter((line) => !lines.some((own) => nameOf(own) === nameOf(line)))
  const usual = [
    'database: {url: env:DATABASE}',
    'archive: {files: false}',
    'logging: {level: warn}',
  ]
  return [
    ...usual.filter((line) => !top.some((other) => nameOf(other) === nameOf(line))),
    ...top,
    'accounts:',
    ...[...replaced, ...more].map((line, index) => `${index === 0 ? '  - ' : '    '}${line}`),
    '',
  ].join('\n')
}

function nameOf(line: string): string {
  return line.split(':')[0] ?? ''
}
