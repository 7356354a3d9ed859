import { realpathSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { othersMay, verbsOf } from '../core/others-may.ts'
import type { Config } from './schema.ts'

/**
 * Returns warnings about trusted files that others may write: the configuration and its folders, the programs
 * and certificates that it names, and the state directory. Its keys must not be readable by others either.
 * Windows has no modes, so nothing is checked there.
 */
export function writableAdvice(
  config: Config,
  files: readonly string[],
  platform = process.platform,
): string[] {
  if (platform === 'win32') return []
  const warnings = trusted(config, files).flatMap(({ path, isKey, isShared }) => {
    const may = othersMay(path)
    if (may === undefined) return []
    if (may.foreign)
      return [`${path} belongs to another user, who can write to it; run chown on it`]
    if (isKey === true && (may.read || may.write))
      return [`${path}: other users can ${verbsOf(may)} this key; run chmod 600 on it`]
    return may.write && !(isShared === true && may.sticky)
      ? [`${path}: other users can write to it; run chmod go-w on it`]
      : []
  })
  const rest = warnings.length - MOST_WARNINGS
  return rest > 0
    ? [
        ...warnings.slice(0, MOST_WARNINGS),
        `other users can write to ${rest} more files like these`,
      ]
    : warnings
}

interface Trusted {
  path: string
  isKey?: true
  /** Whether others may create files in this folder, but not replace Callsheet's. */
  isShared?: true
}

/** Lists the trusted files. `files`: the main configuration file, then those of single accounts. */
function trusted(
  { stateDirectory, alerts, hooks, evidence, reports }: Config,
  files: readonly string[],
): Trusted[] {
  const real = files.map(realPath)
  const commands = [alerts, ...hooks].map(({ command }) => command?.[0] ?? '')
  const programs = [...commands, reports.chromium ?? '']
  const named = [...programs, ...evidence.timestampRoots].filter(isAbsolute)
  const folders = [...new Set(real.map((file) => dirname(file)))]
  const keys = ['token.key', 'evidence.key', 'columns.key'].map((key) => join(stateDirectory, key))
  return [
    { path: stateDirectory },
    ...keys.map((path): Trusted => ({ path, isKey: true })),
    ...folders.map((path): Trusted => ({ path, isShared: true })),
    ...[...named, ...real].map((path): Trusted => ({ path })),
  ]
}

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

const MOST_WARNINGS = 7
