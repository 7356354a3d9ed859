import { basename, extname } from 'node:path'
import { z } from 'zod'
import { explain, problemsText } from '../../config/explain.ts'
import { readYaml, type YamlRules } from '../../config/read-yaml.ts'
import type { Desired, LineDrop, Placed } from '../../core/define/desired.ts'
import { ConfigurationError } from '../../core/errors.ts'
import { readSmallFile, whyNotRead } from '../../core/read-small-file.ts'
import type { Wanted } from '../plan.ts'

/** The changes that a file requests; `account` is the account that it names, if any. */
export interface Wishes {
  account?: string | undefined
  wanted: readonly Wanted[]
  /** Set if a sheet lacks so many lines that their deletion may be a mistake. */
  drop?: LineDrop & { sheet: string }
}

/** Whether the file is a workbook; YAML may have any other extension. */
export function isWorkbook(file: string): boolean {
  return extname(file).toLowerCase() === '.xlsx'
}

/** Reads a YAML file of desired states. Reports the place of each error. */
export function readWishes(file: string, desired: readonly Desired<unknown>[]): Wishes {
  const name = basename(file)
  const yaml = readYaml(readBytes(file), name, RULES)
  const schema = z.strictObject({
    account: z.string().min(1).optional(),
    ...Object.fromEntries(desired.map((kind) => [kind.name, z.array(kind.entry).optional()])),
  })
  const result = schema.safeParse(yaml.value ?? {})
  if (!result.success) throw refuse(name, explain(result.error.issues, yaml, schema))
  const lists = result.data as Record<string, readonly unknown[] | undefined>
  const wanted = desired.flatMap((kind): Wanted[] => {
    const entries = (lists[kind.name] ?? []).map(
      (entry, index): Placed<unknown> => ({ place: yaml.place([kind.name, index]), entry }),
    )
    return entries.length === 0 ? [] : [{ desired: kind, entries }]
  })
  return { account: result.data.account, wanted }
}

function readBytes(file: string): Buffer {
  try {
    return readSmallFile(file, RULES.maxBytes)
  } catch (error) {
    throw cannotRead(file, error)
  }
}

export function cannotRead(file: string, error: unknown): ConfigurationError {
  return new ConfigurationError('file_missing', {
    tried: `Reading ${basename(file)}`,
    expected: 'an edited number inventory (.xlsx), or a YAML file',
    came: whyNotRead(error),
    todo: 'check the path, and that this user can read the file',
  })
}

function refuse(name: string, problems: readonly string[]): ConfigurationError {
  return new ConfigurationError('desired_state_invalid', {
    tried: `Checking ${name}`,
    came: problemsText(problems),
    todo: ADVICE,
  })
}

const ADVICE = 'correct the file; callsheet apply --help shows its format'
const RULES: YamlRules = { maxBytes: 4_194_304, maxEntries: 20_000, todo: ADVICE }
