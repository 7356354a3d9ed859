import type { z } from 'zod'
import { hintFor, nearest } from './nearest.ts'
import { clean, type Yaml } from './read-yaml.ts'

type Issue = z.core.$ZodIssue

/**
 * Returns a line for each problem: its place, the expected form or what is wrong, and the name that was meant
 * if one is close. Never shows a value.
 */
export function explain(issues: readonly Issue[], yaml: Yaml, schema: z.ZodType): string[] {
  return issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys')
      return issue.keys
        .slice(0, MAX_UNKNOWN)
        .map((key) => unknownKey(key, issue.path, { yaml, schema }))
    if (isMissing(issue, yaml)) return [`${yaml.place(issue.path)} ${spell(issue.path)} is missing`]
    return [`${yaml.place(issue.path)} ${spell(issue.path)}: expected ${expectation(issue, yaml)}`]
  })
}

/** Formats one problem as a line, several as a list. */
export function problemsText(problems: readonly string[]): string {
  const [first = '', ...more] = problems
  if (more.length === 0) return first
  const shown = problems.slice(0, MAX_PROBLEMS).map((problem) => `  ${problem}`)
  const rest = problems.length - shown.length
  return [
    `${problems.length} problems`,
    ...shown,
    ...(rest > 0 ? [`  and ${rest} more`] : []),
  ].join('\n')
}

/** Formats a path as people write it: `accounts[0].clientId`. */
export function spell(path: readonly PropertyKey[]): string {
  const text = path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
  return text === '' ? 'the file' : clean(text.replace(/^\./, ''))
}

function unknownKey(
  key: string,
  path: readonly PropertyKey[],
  { yaml, schema }: { yaml: Yaml; schema: z.ZodType },
): string {
  const place = `${yaml.placeOfKey(path, key)} ${spell([...path, key])}`
  return `${place} is not a setting; ${hintFor(key, knownKeys(schema, path))}`
}

function isMissing(issue: Issue, yaml: Yaml): boolean {
  const due = issue.code === 'invalid_type' || (issue.code === 'custom' && issue.params?.required)
  return due === true && valueAt(yaml.value, issue.path) === undefined
}

function expectation(issue: Issue, yaml: Yaml): string {
  const options = optionsOf(issue)
  if (options.length > 0) {
    const value = valueAt(yaml.value, issue.path)
    const meant = typeof value === 'string' ? nearest(value, options) : undefined
    const listed = options.length > 0 && issue.code === 'invalid_value' ? options.join(', ') : ''
    const text = listed === '' ? issue.message : `one of ${listed}`
    return meant === undefined ? text : `${text}; did you mean ${meant}?`
  }
  return DEFAULT_WORDING.test(issue.message) ? plain(issue) : issue.message
}

function optionsOf(issue: Issue): string[] {
  if (issue.code === 'invalid_value') return issue.values.map(String)
  if (issue.code !== 'invalid_union') return []
  return issue.errors.flat().flatMap(optionsOf)
}

/** Replaces zod's own text, which may quote the input and so a misplaced secret. */
function plain(issue: Issue): string {
  if (issue.code === 'invalid_type')
    return issue.expected === 'object' || issue.expected === 'record'
      ? 'settings below this name'
      : `a value of type ${issue.expected}`
  if (issue.code === 'too_small')
    return `${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`
  if (issue.code === 'too_big')
    return `${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}`
  return 'another form'
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let current = value
  for (const part of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, part))
      return undefined
    current = (current as Record<PropertyKey, unknown>)[part]
  }
  return current
}

function knownKeys(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let current: unknown = schema
  for (const part of [...path, undefined]) {
    current = unwrap(current)
    if (part === undefined) break
    const { shape, element, valueType } = current as {
      shape?: Record<PropertyKey, unknown>
      element?: unknown
      valueType?: unknown
    }
    current = shape?.[part] ?? element ?? valueType
  }
  const { shape, keyType } = (current ?? {}) as { shape?: object; keyType?: { enum?: object } }
  return Object.keys(shape ?? keyType?.enum ?? {})
}

/** Unwraps defaults, optionals and unions, down to the object that has keys. */
function unwrap(schema: unknown): unknown {
  const { def } = (schema ?? {}) as { def?: { innerType?: unknown; options?: readonly unknown[] } }
  if (def?.innerType !== undefined) return unwrap(def.innerType)
  if (def?.options === undefined) return schema
  return def.options.map(unwrap).find((option) => 'shape' in (option as object)) ?? schema
}

/** The maximum number of unknown names to look up in the file; more are not shown anyway. */
const MAX_UNKNOWN = 30
const MAX_PROBLEMS = 20
const DEFAULT_WORDING = /^(Invalid|Too|Expected|Unrecognized)/
