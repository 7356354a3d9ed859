import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ROOT, type SourceFile } from './source-files.ts'

interface Report {
  result: { url: string; functions: { ranges: Range[] }[] }[]
}

interface Range {
  startOffset: number
  endOffset: number
  count: number
}

/** Which share of the lines with code a night of the demo runs, in a folder of its own. */
export function demoCoverage(files: readonly SourceFile[]): number {
  const folder = mkdtempSync(join(tmpdir(), 'callsheet-house-'))
  try {
    const env = { ...process.env, NODE_V8_COVERAGE: join(folder, 'coverage') }
    const main = join(ROOT, 'src/cli/main.ts')
    const { status } = spawnSync(process.execPath, [main, 'demo'], { cwd: folder, env })
    if (status !== 0) throw new Error(`the demo ended with ${status}`)
    return shareRun(files, readReports(env.NODE_V8_COVERAGE))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Of each process one. */
function readReports(folder: string): Report[] {
  return readdirSync(folder).map(
    (name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Report,
  )
}

function shareRun(files: readonly SourceFile[], reports: readonly Report[]): number {
  const scripts = Map.groupBy(
    reports.flatMap(({ result }) => result),
    ({ url }) => url,
  )
  let lines = 0
  let run = 0
  for (const { path, text } of files) {
    const found = scripts.get(pathToFileURL(join(ROOT, path)).href) ?? []
    const ran = found.map(({ functions }) => ranAt(text, functions))
    for (const { index, 0: line } of text.matchAll(/^.*\S.*$/gm)) {
      if (/^\s*(\/\/|\/\*|\*)/.test(line)) continue
      const at = index + line.search(/\S/)
      lines++
      if (ran.some((counts) => counts[at] === 1)) run++
    }
  }
  return run / lines
}

/** 1 at each character that was run. An inner range is about what the outer ones say nothing of. */
function ranAt(text: string, functions: Report['result'][number]['functions']): Uint8Array {
  const ranges = functions.flatMap((one) => one.ranges)
  ranges.sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset)
  const counts = new Uint8Array(text.length)
  for (const { startOffset, endOffset, count } of ranges)
    counts.fill(count > 0 ? 1 : 0, startOffset, endOffset)
  return counts
}
