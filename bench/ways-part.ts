import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compileContestants } from './compile.ts'
import type { Figure, Table } from './figures.ts'
import type { Part, PartOptions } from './part.ts'
import { openStage } from './stage.ts'

const ROOT = new URL('..', import.meta.url).href
/** Ten and forty pages of the users' size. */
const ROWS = [3_000, 12_000] as const
const MOST_FILES = 45
const MOST_FILES_OF_A_CALL = 15

export const waysPart: Part = {
  about:
    'how many files of ours a page of users and a call pass: those with a function called for each page',
  async measure(options) {
    await compileContestants()
    const [few, many] = [await callsFor(ROWS[0], options), await callsFor(ROWS[1], options)]
    const pages = many.pages - few.pages
    const grown = [...many.calls].filter(([at, calls]) => calls - (few.calls.get(at) ?? 0) >= pages)
    const passed = [...new Set(grown.map(([at]) => at.replace(/:.*/, '')))].toSorted()
    const call = passed.filter((file) => file.startsWith('src/api/'))
    return {
      figures: [
        figureOf('a page of users', passed, MOST_FILES),
        figureOf('a call', call, MOST_FILES_OF_A_CALL),
      ],
      tables: [byRoom(passed)],
    }
  },
}

/** How often each function of ours was called in a first load of so many users, by its file and place. */
async function callsFor(rows: number, options: PartOptions) {
  const directory = mkdtempSync(join(tmpdir(), 'callsheet-ways-'))
  const stage = await openStage('users', rows, options)
  try {
    const { pages } = await stage.ours('ways', directory)
    return { pages, calls: callsIn(directory) }
  } finally {
    await stage.close()
    rmSync(directory, { recursive: true })
  }
}

function callsIn(directory: string): Map<string, number> {
  const files = readdirSync(directory).map((name) => readFileSync(join(directory, name), 'utf8'))
  const results = files.flatMap((text) => (JSON.parse(text) as Coverage).result)
  const ours = results.filter(({ url }) => url.startsWith(`${ROOT}src/`))
  return new Map(
    ours.flatMap(({ url, functions }) =>
      functions.map(({ functionName, ranges: [whole] }) => [
        `${url.slice(ROOT.length)}:${functionName}:${whole.startOffset}`,
        whole.count,
      ]),
    ),
  )
}

function figureOf(what: string, files: readonly string[], most: number): Figure {
  const target = `<= ${most}`
  return { what, measured: `${files.length} files`, target, met: files.length <= most }
}

function byRoom(files: readonly string[]): Table {
  const rooms = Object.groupBy(files, (file) => file.split('/')[1] ?? '')
  const lines = Object.entries(rooms).map(([room, own = []]) => [room, String(own.length)])
  return { title: 'files that a page of users passes', lines: [['room', 'files'], ...lines] }
}

/** What V8 writes of a process. */
interface Coverage {
  result: {
    url: string
    functions: { functionName: string; ranges: [{ startOffset: number; count: number }] }[]
  }[]
}
