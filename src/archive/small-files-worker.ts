import { hash } from 'node:crypto'
import { closeSync, fdatasync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
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

/** A file whose bytes are written and on their way to the disk. */
interface Written {
  place: number
  file: number
  path: string
  sha256: string
}

/**
 * A thread that gives small files their name: hashed, written, flushed and renamed. It takes each step
 * itself, which costs a fraction of asking the process's own threads, but for the flushes: a disk does
 * several at once in the time of one.
 */
const { memory, files, temporary, tellPoints } = workerData as WriterData
const { cells, due, bytes, saidBytes, outcomes, said, content } = sharedPlaces(memory)
const contents = Array.from({ length: PLACES }, (_, place) => content(place))
const words = Array.from({ length: PLACES }, (_, place) => said(place))
/** As many as a process has threads for, and as many again that are ready for them. */
const FLUSHES_AT_ONCE = 8
/** So many done files wake the process, or fewer when no more are on their way to the disk. */
const TOLD_TOGETHER = 4
let flushing = 0
let untold = 0

// Waiting for the bell does not keep a thread alive.
parentPort?.ref()
for (;;) {
  // Read before all else: what changes after it rings again, and nobody waits over it.
  const bell = Atomics.load(cells, CELL.bell)
  if (Atomics.load(cells, CELL.stop) !== 0) break
  takeDue()
  await Atomics.waitAsync(cells, CELL.bell, bell).value
}
parentPort?.unref()

/** Whoever hands over more rings only while nothing is being flushed: the end of a flush looks as well. */
function takeDue(): void {
  for (;;) {
    while (flushing < FLUSHES_AT_ONCE && beginNext());
    Atomics.store(cells, CELL.idle, flushing === 0 ? 1 : 0)
    // What was handed over just before that was said has not rung.
    if (flushing > 0 || !isDue()) return
  }
}

function isDue(): boolean {
  return Atomics.load(cells, CELL.begun) !== Atomics.load(cells, CELL.due)
}

function beginNext(): boolean {
  if (!isDue()) return false
  const begun = Atomics.load(cells, CELL.begun)
  Atomics.store(cells, CELL.begun, (begun + 1) | 0)
  begin(due[begun & (PLACES - 1)] ?? 0, `${temporary}-${begun >>> 0}.part`)
  return true
}

function begin(place: number, path: string): void {
  const whole = (contents[place] as Buffer).subarray(0, bytes[place])
  let file: number | undefined
  try {
    const sha256 = hash('sha256', whole, 'hex')
    file = openSync(path, NEW_FILE, 0o600)
    if (tellPoints) tell('draft:opened')
    for (let done = 0; done < whole.length; ) done += writeSync(file, whole, done)
    if (tellPoints) tell('draft:written')
    const written: Written = { place, file, path, sha256 }
    flushing++
    fdatasync(file, (error) => {
      flushing--
      finish(written, error)
      takeDue()
    })
  } catch (error) {
    if (file !== undefined) discard(file, path)
    end(place, OUTCOME.failed, codeOf(error))
  }
}

function finish({ place, file, path, sha256 }: Written, failure: Error | null): void {
  let open = true
  try {
    if (failure !== null) throw failure
    if (tellPoints) tell('draft:synced')
    // Closed first: a name is given only to what nobody writes any more.
    open = false
    closeSync(file)
    renameSync(path, `${files}/${sha256.charAt(0)}/${sha256}`)
    if (tellPoints) tell('draft:renamed')
    end(place, OUTCOME.kept, sha256)
  } catch (error) {
    discard(open ? file : undefined, path)
    end(place, OUTCOME.failed, codeOf(error))
  }
}

function end(place: number, outcome: number, text: string): void {
  saidBytes[place] = words[place]?.write(text, 'latin1') ?? 0
  Atomics.store(outcomes, place, outcome)
  Atomics.add(cells, CELL.done, 1)
  // To wake it takes longer than to look at what came of some.
  if (++untold < TOLD_TOGETHER && flushing > 0) return
  untold = 0
  Atomics.notify(cells, CELL.done)
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? (error as Error).name
}

/** The error that led here is the one to tell; what cannot be removed now is swept by the next run. */
function discard(file: number | undefined, path: string): void {
  try {
    if (file !== undefined) closeSync(file)
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
