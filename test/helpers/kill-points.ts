import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const SRC = join(import.meta.dirname, '../../src')

/** The names of all failpoints in the program, so that a test can check that it reached each one. */
export const POINTS: readonly string[] = [
  ...new Set(
    readdirSync(SRC, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .toSorted()
      .flatMap((path) => [
        ...readFileSync(join(SRC, path), 'utf8').matchAll(/\bpoint\('([\w:-]+)'\)/g),
      ])
      .map(([, name = '']) => name),
  ),
]
