import ts from 'typescript'
import { type SourceFile, visit } from '../source-files.ts'

/** Reads texts out of the source: literals, templates, and the constants and functions they name. */
export interface Texts {
  /** Returns the alternatives of an expression; a value that only a run knows is `…`. */
  of(node: ts.Node | undefined): string[]
  /** Returns the alternatives of a field, also of one that a spread object has. */
  field(object: ts.ObjectLiteralExpression, name: string): string[]
}

export function createTexts(sources: readonly SourceFile[]): Texts {
  const declared: Declared = new Map()
  for (const { ast } of sources) {
    const own: Declared = new Map()
    for (const one of ast.statements) declare(one, own)
    // Of several constants of one name, the one with a text is meant.
    for (const [name, node] of own)
      if (!declared.has(name) || ts.isStringLiteralLike(node)) declared.set(name, node)
  }
  const texts: Texts = {
    of: (node) => tidy(read(node, declared, 0)),
    field(object, name) {
      const own = object.properties.find((one) => one.name?.getText() === name)
      if (own !== undefined) {
        const value = ts.isPropertyAssignment(own) ? own.initializer : own.name
        return tidy([...read(value, declared, 0), UNKNOWN])
      }
      return object.properties.filter(ts.isSpreadAssignment).flatMap(({ expression }) => {
        const spread = ts.isIdentifier(expression) ? find(expression, declared) : expression
        const found: string[] = []
        if (spread !== undefined)
          visit(spread, (one) => {
            if (ts.isObjectLiteralExpression(one)) found.push(...texts.field(one, name))
          })
        return found
      })
    },
  }
  return texts
}

type Declared = Map<string, ts.Node>

function declare(statement: ts.Statement, into: Declared): void {
  if (ts.isFunctionDeclaration(statement) && statement.name !== undefined)
    into.set(statement.name.text, statement)
  if (!ts.isVariableStatement(statement)) return
  for (const { name, initializer } of statement.declarationList.declarations)
    if (ts.isIdentifier(name)) {
      if (initializer !== undefined) into.set(name.text, initializer)
    } else
      for (const one of name.elements)
        if (ts.isBindingElement(one) && /^'\w+_\w+'$/.test(one.initializer?.getText() ?? ''))
          into.set(one.name.getText(), one.initializer as ts.Node)
}

/** Looks up what a name means: in the functions around it first, then among all declarations. */
function find(name: ts.Identifier, declared: Declared): ts.Node | undefined {
  for (let at: ts.Node = name; at.parent !== undefined; at = at.parent) {
    if (ts.isBlock(at.parent) || ts.isSourceFile(at.parent)) {
      const near: Declared = new Map()
      for (const one of at.parent.statements) declare(one, near)
      const found = near.get(name.text)
      if (found !== undefined) return found
    }
    if (ts.isFunctionLike(at.parent)) {
      const parameter = at.parent.parameters.find((one) => hasName(one.name, name.text))
      if (parameter !== undefined) return parameter.initializer
    }
  }
  return declared.get(name.text)
}

function hasName(binding: ts.BindingName, text: string): boolean {
  return ts.isIdentifier(binding)
    ? binding.text === text
    : binding.elements.some((one) => ts.isBindingElement(one) && hasName(one.name, text))
}

function read(node: ts.Node | undefined, declared: Declared, depth: number): string[] {
  const inner = (one: ts.Node | undefined): string[] => read(one, declared, depth + 1)
  if (node === undefined || depth > 12) return [UNKNOWN]
  if (ts.isStringLiteralLike(node)) return [node.text]
  if (ts.isTemplateExpression(node))
    return node.templateSpans.reduce(
      (texts, span) => join(join(texts, inner(span.expression)), [span.literal.text]),
      [node.head.text],
    )
  if (ts.isBinaryExpression(node)) {
    const kind = node.operatorToken.kind
    if (kind === ts.SyntaxKind.PlusToken) return join(inner(node.left), inner(node.right))
    return kind === ts.SyntaxKind.QuestionQuestionToken
      ? [...inner(node.left), ...inner(node.right)]
      : [UNKNOWN]
  }
  if (ts.isConditionalExpression(node)) return [...inner(node.whenTrue), ...inner(node.whenFalse)]
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) return inner(node.expression)
  if (ts.isIdentifier(node)) return node.text === 'undefined' ? [] : inner(find(node, declared))
  if (ts.isArrayLiteralExpression(node)) return node.elements.flatMap(inner)
  if (ts.isSpreadElement(node)) return inner(node.expression)
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression))
    return node.expression.name.text === 'join' ? inner(node.expression.expression) : [UNKNOWN]
  // A number with its noun, whose plural is no text of its own.
  if (ts.isCallExpression(node) && node.expression.getText() === 'counted') return [UNKNOWN]
  if (ts.isCallExpression(node) && ts.isIdentifier(node.expression))
    return returned(find(node.expression, declared)).flatMap(inner)
  return [UNKNOWN]
}

/** Returns what a function may return, as long as that is a text to read. */
function returned(node: ts.Node | undefined): (ts.Node | undefined)[] {
  if (node === undefined) return [undefined]
  if (ts.isArrowFunction(node) && !ts.isBlock(node.body)) return [node.body]
  if (!ts.isFunctionDeclaration(node) && !ts.isArrowFunction(node)) return [undefined]
  const results: ts.Node[] = []
  visit(node, (one) => {
    if (ts.isReturnStatement(one) && one.expression !== undefined) results.push(one.expression)
  })
  return results.length > 0 && results.length <= MOST ? results : [undefined]
}

/** Joins each beginning with each end, up to a few. */
function join(heads: readonly string[], tails: readonly string[]): string[] {
  const both = heads.flatMap((head) => tails.map((tail) => `${head}${tail}`))
  return both.length <= MOST ? both : heads.map((head) => `${head}${UNKNOWN}`).slice(0, 1)
}

/** Leaves out values that only a run knows, unless nothing else is left. */
function tidy(texts: readonly string[]): string[] {
  const said = [...new Set(texts.map((text) => text.replace(/…[….,; ]*…/g, UNKNOWN).trim()))]
  const known = said.filter((text) => /\w/.test(text))
  return known.length > 0 ? known.slice(0, MOST) : said.slice(0, 1)
}

const MOST = 4
const UNKNOWN = '…'
