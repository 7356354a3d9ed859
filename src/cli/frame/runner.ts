import { existsSync } from 'node:fs'
import type { Loaded } from '../../config/load-config.ts'
import type { Observer } from '../../core/define/observer.ts'
import { systemClock } from '../../core/time/clock.ts'
import type { CommonOptions, Runner } from './command.ts'
import type { Context } from './context.ts'
import { eachDatabase } from './each-database.ts'
import { createOutput, type Output } from './output.ts'
import { describeError, errorLines, exitCodeOf } from './print-error.ts'
import { listenForSignals } from './signals.ts'

/** Runs a command's work with its output and signals, reports its error, and ends the process. */
export const runCommand: Runner = async (options, work, way = {}) => {
  const { keepsRunning = false, interactive = false, databases = 'one' } = way
  const shown = createOutput({ json: options.json === true })
  const log = keepsRunning && !process.stderr.isTTY ? await openLog() : undefined
  const note = (reason: string): void => log?.event('note', { reason })
  const output = log === undefined ? shown : { ...shown, terminal: false, note }
  const stopping = listenForSignals((line) => output.note(line), interactive)
  const context = createContext(options, { output, signal: stopping.signal })
  const code = await eachDatabase(context, { options, databases }, work).catch((error: unknown) => {
    if (stopping.exitCode() === undefined) return fail(error, options, { output, log })
    if (options.verbose === true) for (const line of errorLines(error, true)) output.note(line)
    return exitCodeOf(error)
  })
  await exit(stopping.exitCode() ?? code)
}

function fail(
  error: unknown,
  options: CommonOptions,
  { output, log }: { output: Output; log: Observer | undefined },
): number {
  const shown = describeError(error, options.account)
  output.result({ error: shown })
  const { code, tried = '', came, todo } = shown
  log?.event('service failed', { code, error: `${tried}: ${came}`, reason: todo })
  if (log === undefined)
    for (const line of errorLines(error, options.verbose === true, options.account))
      output.note(line)
  return exitCodeOf(error)
}

/** Opens a log for the time before the configuration, which sets level and format, is read. */
async function openLog(): Promise<Observer> {
  const { createLogger } = await import('./logger.ts')
  return createLogger({ level: 'info', clock: systemClock })
}

/** Ends the process even if a handle is still open, after flushing output to pipes. */
async function exit(code: number): Promise<never> {
  for (const stream of [process.stdout, process.stderr])
    await new Promise<void>((resolve) => void stream.write('', () => resolve()))
  process.exit(code)
}

/** Makes a context that reads the configuration and opens the log when a command first needs them. */
function createContext(
  options: CommonOptions,
  { output, signal }: { output: Output; signal: AbortSignal },
): Context {
  let loaded: Promise<Loaded> | undefined
  let observer: Promise<Observer> | undefined
  const verbose = options.verbose === true
  const context: Context = {
    output,
    clock: systemClock,
    signal,
    verbose,
    loadConfig: ({ quiet } = { quiet: false }) =>
      (loaded ??= load(options, quiet ? () => {} : (text) => output.note(text))),
    observer: (quiet = false) =>
      (observer ??= context.loadConfig().then((from) => createObserver(from, { verbose, quiet }))),
  }
  return context
}

async function load({ config }: CommonOptions, say: (text: string) => void): Promise<Loaded> {
  const { loadConfig } = await import('../../config/load-config.ts')
  const { environment } = await import('../../config/environment.ts')
  const { catalog } = await import('../../account/catalog.ts')
  const loaded = loadConfig({
    path: config ?? environment().CALLSHEET_CONFIG ?? defaultFile(),
    ...catalog,
    environment: environment(),
  })
  for (const warning of loaded.warnings) say(`warning: ${warning}`)
  return loaded
}

function defaultFile(): string {
  return DEFAULT_FILES.find((file) => existsSync(file)) ?? 'config.yaml'
}

async function createObserver(
  { config }: Loaded,
  { verbose, quiet }: { verbose: boolean; quiet: boolean },
): Promise<Observer> {
  const { createLogger } = await import('./logger.ts')
  const { level } = config.logging
  const { prettyStderr } = process.stderr.isTTY ? await import('./pretty-stderr.ts') : {}
  return createLogger({
    level: verbose ? 'debug' : quiet ? 'silent' : level,
    clock: systemClock,
    stream: prettyStderr?.(),
  })
}

const DEFAULT_FILES = ['config.yaml', 'config.yml']
