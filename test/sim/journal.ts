import { createHash } from 'node:crypto'
import {
  appendFileSync,
  existsSync,
  globSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Report } from './worker.ts'

/** What a long run came to so far, by place in its plans: one that is cut off goes on where it was. */
export interface Journal {
  done: ReadonlyMap<number, Report>
  add(at: number, report: Report): void
}

/**
 * Opens the file or begins it: a line that says which run it is of, then a line for each seed. One of other
 * seeds or of other code is refused: what it holds proves nothing of this run.
 */
export function openJournal(file: string, run: object): Journal {
  const head = JSON.stringify({ ...run, code: codeHash() })
  const done = new Map<number, Report>()
  if (existsSync(file)) {
    const text = readFileSync(file, 'utf8')
    // What a killed process wrote half is gone through again.
    const whole = text.slice(0, text.lastIndexOf('\n') + 1)
    const [first, ...lines] = whole.split('\n').slice(0, -1)
    if (first !== head)
      throw new Error(
        `${file} is of another run: expected ${head}, found ${first ?? 'nothing'}; remove it to begin anew`,
      )
    truncateSync(file, Buffer.byteLength(whole))
    for (const line of lines) {
      const { at, report } = JSON.parse(line) as { at: number; report: Report }
      done.set(at, report)
    }
  } else writeFileSync(file, `${head}\n`)
  return {
    done,
    add: (at, report) => appendFileSync(file, `${JSON.stringify({ at, report })}\n`),
  }
}

/** Of all that decides what becomes of a seed. */
function codeHash(): string {
  const hash = createHash('sha256')
  const files = globSync('{src,jobs,migrations,test/sim,test/helpers}/**/*.ts', { cwd: ROOT })
  for (const file of [...files.toSorted(), 'package-lock.json'])
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(ROOT, file)))
      .update('\0')
  return hash.digest('hex')
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
