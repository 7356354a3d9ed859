import { dirname, isAbsolute, relative, resolve } from 'node:path'
import { ConfigurationError } from '../core/errors.ts'
import {
  MOST_SETTINGS_BYTES,
  REGULAR_FILE,
  readSmallFile,
  whyNotRead,
} from '../core/read-small-file.ts'
import { withAccountFiles } from './account-files.ts'
import { contradictions } from './contradictions.ts'
import { explain, problemsText, spell } from './explain.ts'
import type { Catalog } from './fields.ts'
import { isLoopbackHost } from './loopback.ts'
import { readYaml, type Yaml } from './read-yaml.ts'
import { type Config, configSchema, type WrittenConfig } from './schema.ts'
import { Secret } from './secret.ts'
import { streamProblems } from './stream-problems.ts'
import { writableAdvice } from './writable-files.ts'

export interface Loaded {
  config: Config
  /** The file's path, as shown to people. */
  file: string
  /** Settings that work but should be fixed. */
  warnings: readonly string[]
}

export interface LoadOptions extends Catalog {
  path: string
  environment: Readonly<Record<string, string | undefined>>
}

/** Reads and checks the configuration. Relative paths in it start from its folder. */
export function loadConfig({ path, environment, ...catalog }: LoadOptions): Loaded {
  const file = shown(path)
  const folder = dirname(resolve(path))
  const yaml = withAccountFiles(readYaml(read(path, file), file), folder, shown)
  const schema = configSchema(catalog)
  const result = schema.safeParse(yaml.value ?? {})
  if (!result.success) throw refuse(file, explain(result.error.issues, yaml, schema))
  const secrets = settleSecrets(result.data, { yaml, folder, environment })
  const config = withAbsolutePaths(result.data, folder)
  const problems = [...contradictions(config, yaml), ...streamProblems(config, yaml, catalog)]
  if (problems.length > 0) throw refuse(file, problems)
  const warnings = [
    ...secrets.flatMap((secret) => secret.advice() ?? []),
    ...sameAccountAdvice(config, yaml),
    ...writableAdvice(config, [resolve(path), ...yaml.files]),
  ]
  return { config, file, warnings }
}

function read(path: string, file: string): Buffer {
  try {
    return readSmallFile(path, MOST_SETTINGS_BYTES)
  } catch (error) {
    throw new ConfigurationError('configuration_missing', {
      tried: `Reading the configuration ${file}`,
      expected: REGULAR_FILE,
      came: whyNotRead(error),
      todo:
        (error as NodeJS.ErrnoException).code === 'ENOENT'
          ? 'create a configuration with callsheet init, or name the file with --config'
          : 'check the path, and that this user can read the file',
    })
  }
}

function refuse(file: string, problems: readonly string[]): ConfigurationError {
  return new ConfigurationError('configuration_invalid', {
    tried: `Checking the configuration ${file}`,
    came: problemsText(problems),
    todo: 'correct the file; config.example.yaml shows every setting',
  })
}

/** Gives every secret its place, and returns those that may need a warning. */
function settleSecrets(
  config: WrittenConfig,
  context: { yaml: Yaml; folder: string; environment: LoadOptions['environment'] },
): Secret[] {
  const found: Secret[] = []
  const walk = (value: unknown, path: readonly PropertyKey[]): void => {
    if (value instanceof Secret) {
      const at = `${context.yaml.place(path)} (${spell(path)})`
      value.settle({ at, folder: context.folder, environment: context.environment })
      if (!(value.inline && isTrial(config, path))) found.push(value)
    } else if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) walk(item, [...path, index])
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) walk(item, [...path, key])
    }
  }
  walk(config, [])
  return found
}

/** Whether credentials are for a service on this machine, which is the sandbox. */
function isTrial({ accounts }: WrittenConfig, [top, index]: readonly PropertyKey[]): boolean {
  const account = top === 'accounts' ? accounts[Number(index)] : undefined
  if (account === undefined) return false
  return isLoopbackHost(new URL(account.baseUrl).hostname)
}

function withAbsolutePaths(config: WrittenConfig, folder: string): Config {
  const stateDirectory = resolve(folder, config.stateDirectory)
  const directory =
    config.database.directory === null
      ? resolve(stateDirectory, 'postgres')
      : resolve(folder, config.database.directory)
  return {
    ...config,
    stateDirectory,
    database: { ...config.database, directory },
    archive: { ...config.archive, directory: resolve(folder, config.archive.directory) },
    evidence: {
      ...config.evidence,
      timestampRoots: config.evidence.timestampRoots.map((path) => resolve(folder, path)),
    },
    reports: {
      ...config.reports,
      directory: resolve(folder, config.reports.directory),
      chromium: config.reports.chromium === null ? null : resolve(folder, config.reports.chromium),
    },
    alerts: { ...config.alerts, command: withAbsoluteProgram(config.alerts.command, folder) },
    hooks: config.hooks.map((hook) => ({
      ...hook,
      command: withAbsoluteProgram(hook.command, folder),
    })),
  }
}

/** Makes the program's path absolute; a program without a folder is searched in the system's path. */
function withAbsoluteProgram(command: readonly string[] | null, folder: string): string[] | null {
  if (command === null) return null
  const [program = '', ...args] = command
  return [/[\\/]/.test(program) ? resolve(folder, program) : program, ...args]
}

function shown(path: string): string {
  const fromHere = relative(process.cwd(), resolve(path))
  return fromHere.startsWith('..') || isAbsolute(fromHere) ? resolve(path) : fromHere
}

/**
 * Warns about each account of the service that has several names here. The service identifies an account by
 * its ID; without an ID in the configuration, an equal app counts as an equal account.
 */
function sameAccountAdvice({ accounts }: Config, yaml: Yaml): string[] {
  const all = accounts.map(({ name, baseUrl, accountId, clientId }, index) => {
    const by = accountId === null ? 'clientId' : 'accountId'
    return { name, by, index, key: [new URL(baseUrl).host, by, accountId ?? clientId].join(' ') }
  })
  return [...Map.groupBy(all, ({ key }) => key).values()].flatMap((same) => {
    const [, second] = same
    if (second === undefined) return []
    const path = ['accounts', second.index, second.by]
    const names = same.slice(0, MOST_NAMES).map(({ name }) => name)
    const more = same.length > MOST_NAMES ? [`${same.length - MOST_NAMES} more`] : []
    const listed = new Intl.ListFormat('en-GB').format([...names, ...more])
    return [`${yaml.place(path)} (${spell(path)}): ${listed} ${ARE_ONE}`]
  })
}

const ARE_ONE =
  'are one account of the service. Each of these names reads everything and plans with the whole quota, so ' +
  'that calls count twice and the service refuses some. Keep one name and remove the others'
const MOST_NAMES = 5
