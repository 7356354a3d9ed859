import { hash } from 'node:crypto'
import { closeSync, fdatasyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import type { PointName } from '../core/point.ts'
import { NEW_FILE } from './file-calls.ts'
import { CELL, OUTCOME, PLACES, sharedPlaces } from './shared-places.ts'

export interface WriterData {
  memory: SharedArrayBuffer
  /** Below it the final names, by the first digit of the hash. */
  files: string
  /** What temporary names begin with. */
  temporary: string
  /** Somebody wants to hear of each point, and may kill the process there. */
  tellPoints: boolean
}

/**
 * A thread that gives small files their name: hashed, written, flushed and renamed, each in one go. It waits
 * for the disk itself, which costs a file a fraction of what asking the process's own threads for each step
 * does.
 */
const { memory, files, temporary, tellPoints } = workerData as WriterData
const { cells, due, bytes, saidBytes, outcomes, said, content } = sharedPlaces(memory)
const contents = Array.from({ length: PLACES }, (_, place) => content(place))
const words = Array.from({ length: PLACES }, (_, place) => said(place))

for (;;) {
  // Read before all else: what changes after it rings again, and nobody goes to sleep over it.
  const bell = Atomics.load(cells, CELL.bell)
  if (Atomics.load(cells, CELL.stop) !== 0) break
  const begun = Atomics.load(cells, CELL.begun)
  if (begun === Atomics.load(cells, CELL.due)) Atomics.wait(cells, CELL.bell, bell)
  else if (Atomics.compareExchange(cells, CELL.begun, begun, (begun + 1) | 0) === begun)
    work(due[begun & (PLACES - 1)] ?? 0, `${temporary}-${begun >>> 0}.part`)
}

function work(place: number, path: string): void {
  let outcome = OUTCOME.kept
  let text: string
  try {
    text = keep((contents[place] as Buffer).subarray(0, bytes[place]), path)
  } catch (error) {
    outcome = OUTCOME.failed
    text = (error as NodeJS.ErrnoException).code ?? (error as Error).name
  }
  saidBytes[place] = words[place]?.write(text, 'latin1') ?? 0
  Atomics.store(outcomes, place, outcome)
  Atomics.add(cells, CELL.done, 1)
  Atomics.notify(cells, CELL.done)
}

function keep(whole: Buffer, path: string): string {
  const sha256 = hash('sha256', whole, 'hex')
  const file = openSync(path, NEW_FILE, 0o600)
  try {
    try {
      if (tellPoints) tell('draft:opened')
      for (let done = 0; done < whole.length; ) done += writeSync(file, whole, done)
      if (tellPoints) tell('draft:written')
      fdatasyncSync(file)
      if (tellPoints) tell('draft:synced')
    } finally {
      // Closed first: a name is given only to what nobody writes any more.
      closeSync(file)
    }
    renameSync(path, join(files, sha256.slice(0, 1), sha256))
  } catch (error) {
    remove(path)
    throw error
  }
  if (tellPoints) tell('draft:renamed')
  return sha256
}

/** The error that led here is the one to tell; what cannot be removed now is swept by the next run. */
function remove(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {
    return
  }
}

/** Goes on when whoever listens in the process has done so. */
function tell(point: PointName): void {
  const heard = Atomics.load(cells, CELL.heard)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(point)
  Atomics.wait(cells, CELL.heard, heard)
}
