import { readFileSync } from 'node:fs'
import { pathNames } from '../core/define/check-call.ts'
import type { CallArguments, Operation, QueryValue } from '../core/define/operation.ts'
import { ConfigurationError } from '../core/errors.ts'
import { readSmallFile, whyNotRead } from '../core/read-small-file.ts'
import { parseLossless } from '../core/values/json.ts'
import { type JsonSchema, schemaOf } from './frame/schema-lines.ts'

/** Parses `name=value` words into path and query; the query's schema decides numbers, booleans and lists. */
export function readParameters(operation: Operation, words: readonly string[]): CallArguments {
  const path: Record<string, string> = {}
  const lists = new Map<string, string[]>()
  const inPath = new Set(pathNames(operation))
  const others = new Map(Object.entries(operation.alsoCalled ?? {}))
  for (const word of words) {
    const at = word.indexOf('=')
    if (at < 1) throw notAPair(operation)
    const [name, value] = [word.slice(0, at), word.slice(at + 1)]
    const place = others.get(name) ?? name
    if (Object.hasOwn(path, place)) throw twice(operation, place)
    if (inPath.has(place)) path[place] = value
    else lists.set(name, [...(lists.get(name) ?? []), value])
  }
  const { properties, open } = queryFields(operation)
  const query = [...lists].map(([name, values]): [string, QueryValue] => {
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (field === undefined && !open) throw unknownParameter(operation, name)
    return [name, valueOf(field, values)]
  })
  return { path, query: Object.fromEntries(query) }
}

/** Reads a request body: inline JSON, a JSON file, or standard input. */
export function readCallBody(word: string | undefined): unknown {
  if (word === undefined) return undefined
  const source = word === '-' ? 0 : word.startsWith('@') ? word.slice(1) : undefined
  const text = source === undefined ? word : readSource(source)
  try {
    return parseLossless(text)
  } catch {
    throw new ConfigurationError('bad_body', {
      tried: 'Reading the request body',
      expected: 'JSON, @FILE, or - for standard input',
      came: `the ${text.length} characters of the body are not valid JSON`,
      todo: 'correct the JSON, or pass it in a file: --body @FILE',
    })
  }
}

function readSource(source: string | 0): string {
  try {
    return source === 0
      ? readFileSync(source, 'utf8')
      : readSmallFile(source, MOST_BODY_BYTES).toString('utf8')
  } catch (error) {
    throw new ConfigurationError('no_body', {
      tried: source === 0 ? 'Reading standard input' : `Reading the file ${source}`,
      expected: 'a JSON file',
      came: whyNotRead(error),
      todo:
        source === 0
          ? 'pass the body in a file: --body @FILE'
          : 'check the path, and that this user can read the file',
    })
  }
}

/** The maximum size of a body in a file, far above any body in the service's documentation. */
const MOST_BODY_BYTES = 2 ** 24

function queryFields({ query }: Operation) {
  const { properties = {}, additionalProperties } = schemaOf(query)
  return { properties, open: additionalProperties !== undefined }
}

/**
 * Converts values to the field's type. Values that do not match stay unchanged; the schema then reports the
 * fault.
 */
function valueOf(field: JsonSchema | undefined, values: readonly string[]): QueryValue {
  if (field?.type === 'array') return values
  if (values.length > 1) return values
  const [value = ''] = values
  const number = /^-?\d+$/.test(value) ? Number(value) : Number.NaN
  // A number that a double cannot represent stays text: otherwise a different number would be sent.
  if (/^(integer|number)$/.test(field?.type ?? '') && Number.isSafeInteger(number)) return number
  return field?.type === 'boolean' && /^(true|false)$/.test(value) ? value === 'true' : value
}

function notAPair({ id }: Operation): ConfigurationError {
  return new ConfigurationError('bad_parameter', {
    tried: `Calling ${id}`,
    came: 'a --param lacks a name or the equals sign',
    todo: 'pass each parameter as --param NAME=VALUE',
  })
}

function twice({ id }: Operation, name: string): ConfigurationError {
  return new ConfigurationError('parameter_twice', {
    tried: `Calling ${id}`,
    came: `the path parameter ${name} was given more than once`,
    todo: `pass --param ${name}=VALUE once`,
  })
}

function unknownParameter(operation: Operation, name: string): ConfigurationError {
  const known = [...pathNames(operation), ...Object.keys(queryFields(operation).properties)]
  return new ConfigurationError('unknown_parameter', {
    tried: `Calling ${operation.id}`,
    expected: known.length === 0 ? 'no parameters' : `one of ${known.join(', ')}`,
    came: `the operation has no parameter ${name.slice(0, 60)}`,
    todo: `run callsheet operations ${operation.id} to list the parameters`,
  })
}
