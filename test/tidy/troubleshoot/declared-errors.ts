import ts from 'typescript'
import { lineOf, readSources, type SourceFile, visit } from '../source-files.ts'
import { createTexts, type Texts } from './source-texts.ts'

/** A message as its place in the source declares it; each field has the alternatives. */
export interface DeclaredMessage {
  path: string
  line: number
  codes: string[]
  tried: string[]
  expected: string[]
  came: string[]
  todo: string[]
}

export interface Declared {
  /** Errors, each with what was tried and what came, and the tables from which errors take both. */
  errors: DeclaredMessage[]
  /** Causes of bad health: `came` is the sentence, `expected` what the code around it says. */
  causes: DeclaredMessage[]
  /** Problems that a run lists beside its errors. */
  problems: DeclaredMessage[]
}

export function readDeclared(folders: readonly string[]): Declared {
  return readSamples(readSources(folders))
}

export function readSamples(sources: readonly SourceFile[]): Declared {
  const texts = createTexts(sources)
  const declared: Declared = { errors: [], causes: [], problems: [] }
  for (const file of sources)
    visit(file.ast, (node) => {
      const at = { path: file.path, line: lineOf(file, node.getStart()) }
      if (ts.isNewExpression(node)) declared.errors.push(...errorsOf(node, at, texts))
      if (ts.isObjectLiteralExpression(node)) {
        declared.errors.push(...faultsOf(node, at, texts))
        declared.causes.push(...causesOf(node, file, at, texts))
      }
      if (ts.isArrayLiteralExpression(node)) declared.errors.push(...rowsOf(node, at, texts))
      if (ts.isCallExpression(node)) declared.problems.push(...problemsOf(node, at, texts))
    })
  return declared
}

type Place = Pick<DeclaredMessage, 'path' | 'line'>

function errorsOf(node: ts.NewExpression, at: Place, texts: Texts): DeclaredMessage[] {
  const kind = node.expression.getText()
  const facts = node.arguments
    ?.filter(ts.isObjectLiteralExpression)
    .find((one) => has(one, 'tried'))
  if (!kind.endsWith('Error') || facts === undefined) return []
  const codes = CODES[kind] ?? given(node.arguments?.[0], texts)
  const of = (name: string): string[] => texts.field(facts, name)
  return [
    {
      ...at,
      codes,
      tried: of('tried'),
      expected: of('expected'),
      came: of('came'),
      todo: of('todo'),
    },
  ]
}

/** Reads a code; one that is a parameter, from the calls in its file. */
function given(code: ts.Expression | undefined, texts: Texts): string[] {
  const found = texts.of(code).filter((text) => /^[a-z]+_?[a-z_]*…?$/.test(text))
  if (found.length > 0 || code === undefined || !ts.isIdentifier(code)) return found
  const own = ts.findAncestor(code, ts.isFunctionDeclaration)
  const at = own?.parameters.findIndex(({ name }) => name.getText() === code.text) ?? -1
  if (at < 0) return []
  visit(code.getSourceFile(), (one) => {
    if (ts.isCallExpression(one) && one.expression.getText() === own?.name?.text)
      found.push(...texts.of(one.arguments[at]))
  })
  return found
}

/** Reads `{ code, came, todo }` and `code: { came, todo }`: what errors are made from by code. */
function faultsOf(node: ts.ObjectLiteralExpression, at: Place, texts: Texts): DeclaredMessage[] {
  if (!has(node, 'todo') || has(node, 'tried') || has(node, 'sentence') || has(node, 'check'))
    return []
  const [named] = ['code', 'as'].filter((name) => has(node, name))
  const key =
    ts.isPropertyAssignment(node.parent) && has(node, 'came') ? node.parent.name.getText() : ''
  const codes =
    named === undefined ? [key].filter((one) => WORD.test(one)) : texts.field(node, named)
  if (codes.length === 0 || !codes.every((code) => WORD.test(code))) return []
  const of = (name: string): string[] => texts.field(node, name)
  return [{ ...at, codes, tried: [], expected: [], came: of('came'), todo: of('todo') }]
}

/** Reads `[code, came, todo]`. */
function rowsOf(node: ts.ArrayLiteralExpression, at: Place, texts: Texts): DeclaredMessage[] {
  if (node.elements.length !== 3) return []
  const [codes = [], came = [], todo = []] = node.elements.map((one) => texts.of(one))
  if (!ts.isStringLiteralLike(node.elements[0] as ts.Node)) return []
  if (!codes.every((code) => /^[a-z]+_[a-z_]+$/.test(code)) || !todo.join(' ').includes(' '))
    return []
  return [{ ...at, codes, tried: [], expected: [], came, todo }]
}

function causesOf(
  node: ts.ObjectLiteralExpression,
  file: SourceFile,
  at: Place,
  texts: Texts,
): DeclaredMessage[] {
  if (!file.path.startsWith('src/serve/') || !has(node, 'sentence') || !has(node, 'sinceMs'))
    return []
  const codes = texts.field(node, 'code').filter((code) => WORD.test(code))
  if (codes.length === 0) return []
  const of = (name: string): string[] => texts.field(node, name)
  return [
    { ...at, codes, tried: of('level'), expected: [], came: of('sentence'), todo: of('todo') },
  ]
}

function problemsOf(node: ts.CallExpression, at: Place, texts: Texts): DeclaredMessage[] {
  const { expression } = node
  if (!ts.isPropertyAccessExpression(expression)) return []
  const { name } = expression
  const isPush = name.text === 'push' && /(^|\.)problems$/.test(expression.expression.getText())
  if (!isPush && name.text !== 'problem') return []
  return node.arguments.slice(0, isPush ? undefined : 1).flatMap((one) => {
    const came = ts.isSpreadElement(one) ? [] : texts.of(one).filter((text) => / \w+ /.test(text))
    return came.length === 0 ? [] : [{ ...at, codes: [], tried: [], expected: [], came, todo: [] }]
  })
}

function has(node: ts.ObjectLiteralExpression, name: string): boolean {
  return node.properties.some((one) => one.name?.getText() === name)
}

const WORD = /^[a-z][a-z0-9_]*$/
/** Classes with a code of their own. */
const CODES: Readonly<Record<string, string[]>> = {
  MissingScopeError: ['missing_scope'],
  RateLimitedError: ['rate_limited', 'daily_quota_spent'],
  ServiceError: ['service_error'],
  NotAllowedError: ['service_error'],
}
