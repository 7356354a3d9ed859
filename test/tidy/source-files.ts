import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import ts from 'typescript'

/** A parsed file; `path` is relative to the repository with `/` between its parts. */
export interface SourceFile {
  path: string
  text: string
  ast: ts.SourceFile
}

/** One thing that breaks a rule, as `path:line what`. */
export type Finding = string

export const ROOT = join(import.meta.dirname, '..', '..')

export function readSources(folders: readonly string[]): SourceFile[] {
  return folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.[jt]s$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => sample(relative(ROOT, file).split(sep).join('/'), readFileSync(file, 'utf8'))),
  )
}

/** A file that exists only in a test: so that each rule can be seen to fail. */
export function sample(path: string, text: string): SourceFile {
  return { path, text, ast: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true) }
}

export function lineOf(file: SourceFile, position: number): number {
  return file.ast.getLineAndCharacterOfPosition(position).line + 1
}

export function visit(node: ts.Node, look: (node: ts.Node) => void): void {
  look(node)
  ts.forEachChild(node, (child) => visit(child, look))
}
