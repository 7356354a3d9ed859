import { type Document, isAlias, isMap, isScalar, LineCounter, parseDocument, visit } from 'yaml'
import { ConfigurationError } from '../core/errors.ts'
import { MOST_SETTINGS_BYTES } from '../core/read-small-file.ts'

export interface Yaml {
  value: unknown
  /** Returns `file:line:column` of the setting, or of the nearest existing setting around it. */
  place(path: readonly PropertyKey[]): string
  /** Returns the place of a setting's name instead of its value. */
  placeOfKey(path: readonly PropertyKey[], key: string): string
}

/** The limits for a kind of file, and the remedy for one that cannot be read. */
export interface YamlRules {
  maxBytes: number
  /** The maximum number of lines and list entries. */
  maxEntries: number
  todo: string
}

/** Returns the error of a place in the file. */
type Refuse = (place: string, came: string, expected: string) => ConfigurationError

/** Parses YAML within limits: size, depth, no aliases, one document. Every error names its place. */
export function readYaml(
  bytes: Uint8Array,
  file: string,
  { maxBytes, maxEntries, todo } = CONFIGURATION,
): Yaml {
  const refuse: Refuse = (place, came, expected) =>
    new ConfigurationError('configuration_unreadable', {
      tried: `Reading ${place}`,
      came,
      expected,
      todo,
    })
  if (bytes.length > maxBytes)
    throw refuse(file, `the file has ${bytes.length} bytes`, `at most ${maxBytes} bytes`)
  const text = decode(bytes)
  if (text === undefined) throw refuse(file, 'the file is not UTF-8 text', 'a YAML file in UTF-8')
  const { depth, entries } = sizeOf(text)
  if (depth > MAX_BRACKETS) throw refuse(file, TOO_DEEP, DEPTH_RULE)
  if (entries > maxEntries)
    throw refuse(file, 'the file is too long', `at most ${maxEntries} lines and list entries`)
  const lineCounter = new LineCounter()
  const document = parse(text, lineCounter)
  if (document === undefined) throw refuse(file, TOO_DEEP, DEPTH_RULE)
  const at = (offset: number): string => {
    const { line, col } = lineCounter.linePos(offset)
    return `${file}:${line}:${col}`
  }
  const [problem] = document.errors
  if (problem !== undefined)
    throw refuse(at(problem.pos[0]), clean(sayOf(problem)), 'well-formed YAML')
  checkShape(document, (offset, ...reason) => refuse(at(offset), ...reason))
  return {
    value: document.toJS({ maxAliasCount: 0 }) as unknown,
    place: (path) => at(offsetOf(document, path)),
    placeOfKey: (path, key) => at(keyOffset(document, path, key)),
  }
}

/** Returns the parser's message without its quotations from the file, which could contain a secret. */
function sayOf({ code, message }: { code: string; message: string }): string {
  return INSTEAD[code] ?? message.replace(/(?<=\w): .*/s, '')
}

/** Removes control characters, so that a hostile file cannot send them to the terminal. */
export function clean(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are what is looked for
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').slice(0, 200)
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/**
 * Counts brackets and entries before parsing: the parser recurses at each bracket and compares each name of a
 * map with all others, which could take seconds. Brackets in quotes count too; no honest file has that many.
 */
function sizeOf(text: string): { depth: number; entries: number } {
  let [depth, deepest, entries] = [0, 0, 0]
  for (const character of text) {
    if (character === '[' || character === '{') deepest = Math.max(deepest, ++depth)
    else if (character === ']' || character === '}') depth--
    else if (character === '\n' || character === ',') entries++
  }
  return { depth: deepest, entries }
}

/** Returns undefined if the parser, which recurses at each level, overflows the stack. */
function parse(text: string, lineCounter: LineCounter): Document | undefined {
  try {
    return parseDocument(text, { lineCounter, prettyErrors: false, version: '1.2' })
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function checkShape(
  document: Document,
  refuse: (offset: number, came: string, expected: string) => ConfigurationError,
): void {
  visit(document, (_key, node, path) => {
    const [offset = 0] = (node as { range?: readonly number[] | null } | null)?.range ?? []
    if (path.length > MAX_DEPTH * 2) throw refuse(offset, TOO_DEEP, DEPTH_RULE)
    if (isAlias(node))
      throw refuse(offset, 'YAML aliases (*name) are not supported', 'plain values')
  })
}

function offsetOf(document: Document, path: readonly PropertyKey[]): number {
  for (let length = path.length; length > 0; length--) {
    const node: unknown = document.getIn(path.slice(0, length), true)
    const range = (node as { range?: readonly number[] } | undefined)?.range
    if (range?.[0] !== undefined) return range[0]
  }
  return document.contents?.range?.[0] ?? 0
}

function keyOffset(document: Document, path: readonly PropertyKey[], key: string): number {
  const map: unknown = path.length === 0 ? document.contents : document.getIn(path, true)
  if (!isMap(map)) return offsetOf(document, path)
  const pair = map.items.find((item) => isScalar(item.key) && String(item.key.value) === key)
  return isScalar(pair?.key) ? (pair.key.range?.[0] ?? 0) : offsetOf(document, path)
}

const CONFIGURATION: YamlRules = {
  maxBytes: MOST_SETTINGS_BYTES,
  maxEntries: 5_000,
  todo: 'correct the file; config.example.yaml shows every setting',
}
/** Replacements, by code, for parser messages with a quotation in the middle. */
const INSTEAD: Readonly<Record<string, string>> = {
  BAD_DIRECTIVE: 'a directive (%) cannot be read',
  BAD_DQ_ESCAPE: 'an escape sequence (\\) is not valid',
  TAG_RESOLVE_FAILED: 'a tag (!) cannot be read',
}
const TOO_DEEP = 'the values are nested too deeply'
const MAX_BRACKETS = 64
const MAX_DEPTH = 16
const DEPTH_RULE = `at most ${MAX_DEPTH} levels`
