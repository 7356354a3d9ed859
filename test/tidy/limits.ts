import ts from 'typescript'
import { type Finding, lineOf, type SourceFile, visit } from './source-files.ts'

const FILE_LINES = 250
const FUNCTION_LINES = 60
const LINE_CHARACTERS = 110

export function longFiles(file: SourceFile): Finding[] {
  const lines = file.text.trimEnd().split('\n').length
  return lines > FILE_LINES ? [`${file.path} has ${lines} lines, at most ${FILE_LINES}`] : []
}

export function longLines(file: SourceFile): Finding[] {
  return file.text.split('\n').flatMap((line, index) => {
    const characters = Array.from(line).length
    return characters > LINE_CHARACTERS
      ? [`${file.path}:${index + 1} is ${characters} characters long, at most ${LINE_CHARACTERS}`]
      : []
  })
}

export function longFunctions(file: SourceFile): Finding[] {
  const found: Finding[] = []
  visit(file.ast, (node) => {
    if (!ts.isFunctionLike(node) || !('body' in node) || isSuite(node)) return
    const from = lineOf(file, node.getStart())
    const lines = lineOf(file, node.end) - from + 1
    if (lines > FUNCTION_LINES)
      found.push(`${file.path}:${from} function of ${lines} lines, at most ${FUNCTION_LINES}`)
  })
  return found
}

/** Markers of unfinished work, and tests that switch off their neighbours. */
export function leftovers(file: SourceFile): Finding[] {
  return file.text.split('\n').flatMap((line, index) => {
    const match = LEFTOVER.exec(line)
    return match === null ? [] : [`${file.path}:${index + 1} left over: ${match[0]}`]
  })
}

/** A `describe` block is a chapter, not a function. */
function isSuite(node: ts.Node): boolean {
  return ts.isCallExpression(node.parent) && /^describe\b/.test(node.parent.expression.getText())
}

// Written with a class around one letter, so that this file does not find itself.
const LEFTOVER = /\b(?:T[O]DO|F[I]XME|X[X]X|H[A]CK)\b|\.o[n]ly\(/
