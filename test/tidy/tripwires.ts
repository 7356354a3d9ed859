import ts from 'typescript'
import { type Finding, lineOf, type SourceFile, visit } from './source-files.ts'

/**
 * Finds words of old habits in texts and comments of the program. They are a tripwire, not a measure of good
 * prose: rewrite the sentence, not the word.
 */
export function tripped(file: SourceFile): Finding[] {
  const found = commentsOf(file)
  visit(file.ast, (node) => {
    if (isText(node) && /\S \S/.test(node.text)) found.push([node.getStart(), node.text])
  })
  return found.flatMap(([at, text]) =>
    inText(text).map((word) => `${file.path}:${lineOf(file, at)} ${word}`),
  )
}

/** Finds the words in a page of documentation. */
export function trippedPage(path: string, text: string): Finding[] {
  return text
    .split('\n')
    .map((line) => line.replace(/`[^`]*`/g, ''))
    .flatMap((line, at) => inText(line).map((word) => `${path}:${at + 1} ${word}`))
}

function inText(text: string): string[] {
  return [...text.matchAll(WORDS)].map(([word]) => word.toLowerCase())
}

type Text = ts.StringLiteralLike | ts.TemplateHead | ts.TemplateMiddle | ts.TemplateTail

function isText(node: ts.Node): node is Text {
  return (
    ts.isStringLiteralLike(node) ||
    ts.isTemplateHead(node) ||
    ts.isTemplateMiddle(node) ||
    ts.isTemplateTail(node)
  )
}

function commentsOf({ ast, text }: SourceFile): [at: number, text: string][] {
  const found = new Map<number, string>()
  visit(ast, (node) => {
    for (const { pos, end } of ts.getLeadingCommentRanges(text, node.getFullStart()) ?? [])
      found.set(pos, text.slice(pos, end).replace(/\s+[*/]*\s*/g, ' '))
  })
  return [...found]
}

const HABITS =
  'told|mended|let go|for good|of before|of ours|is well|unwell|in vain|as it was left|nobody knows|says why'
const WORDS = new RegExp(`\\b(${HABITS})\\b`, 'gi')
