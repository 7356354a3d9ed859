import { importsOf } from './imports.ts'
import type { Finding, SourceFile } from './source-files.ts'

/** Tests whose names do not say what they need: nothing, Postgres (`.db`) or our programs (`.lane`). */
export function misnamedTests(files: readonly SourceFile[]): Finding[] {
  const needs = new Needs(files)
  return files.flatMap(({ path }) => {
    if (!path.endsWith('.test.ts') || LANE.test(path)) return []
    const due = needs.reaches(path, 'programs')
      ? '.lane'
      : needs.reaches(path, 'serverUrl')
        ? '.db'
        : ''
    const is = path.endsWith('.db.test.ts') ? '.db' : ''
    return due === is ? [] : [`${path} must end with ${due}.test.ts by what it needs`]
  })
}

type Provided = 'serverUrl' | 'programs'

/** What test files inject, themselves or through what they import of `test`. */
class Needs {
  readonly #files: ReadonlyMap<string, SourceFile>
  readonly #imports = new Map<string, string[]>()

  constructor(files: readonly SourceFile[]) {
    this.#files = new Map(files.map((file) => [file.path, file]))
  }

  reaches(path: string, what: Provided, seen = new Set<string>()): boolean {
    const file = this.#files.get(path)
    if (file === undefined || seen.has(path)) return false
    seen.add(path)
    if (file.text.includes(`inject('${what}')`)) return true
    return this.#importsOf(file).some((target) => this.reaches(target, what, seen))
  }

  #importsOf(file: SourceFile): string[] {
    const known = this.#imports.get(file.path)
    if (known !== undefined) return known
    const found = importsOf(file).flatMap(({ ours, target }) =>
      ours && target.startsWith('test/') ? [target] : [],
    )
    this.#imports.set(file.path, found)
    return found
  }
}

const LANE = /\.lane\.test\.ts$|^test\/scenario\//
