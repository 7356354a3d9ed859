import { existsSync } from 'node:fs'
import type { Loaded } from '../../config/load-config.ts'
import type { Observer } from '../../core/define/observer.ts'
import { systemClock } from '../../core/time/clock.ts'
import type { CommonOptions } from './command.ts'
import type { Context } from './context.ts'
import type { Output } from './output.ts'

/** Makes a context that reads the configuration and opens the log when a command first needs them. */
export function createContext(
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
