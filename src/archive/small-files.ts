import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { type PointName, point, pointsHeard } from '../core/point.ts'
import { createSlots } from '../core/slots.ts'
import { CELL, OUTCOME, PLACES, type SharedPlaces, sharedPlaces } from './shared-places.ts'
import type { WriterData } from './small-files-worker.ts'

/** A thread that keeps small files, whose bytes it is given in memory that it shares with the process. */
export interface SmallFiles {
  /** A place for one file's bytes; undefined while all of them are taken. */
  take(): Place | undefined
  /** What has a place must have been kept or let go. */
  close(): Promise<void>
}

export interface Place {
  /** As much as there is room for. */
  readonly room: Uint8Array
  /**
   * Gives the first so many bytes the name of their content, and answers it. Rejects with the system's error,
   * when nothing is left of them.
   */
  keep(bytes: number): Promise<string>
  release(): void
}

/** Final names are below `files`, others begin with `temporary`. The thread begins with the first file. */
export function openSmallFiles(names: Names): SmallFiles {
  const shared = sharedPlaces()
  const free = Array.from({ length: PLACES }, (_, at) => placeAt(at))
  let writer: Writer | undefined
  function placeAt(at: number): Place {
    const place: Place = {
      room: shared.content(at),
      keep(bytes) {
        writer ??= startWriter(shared, names)
        return writer.keep(at, bytes)
      },
      release: () => void free.push(place),
    }
    return place
  }
  return {
    // The one that was let go last, so that no more memory is touched than is in use at once.
    take: () => free.pop(),
    close: async () => await writer?.close(),
  }
}

type Names = Pick<WriterData, 'files' | 'temporary'>

interface Writer {
  keep(place: number, bytes: number): Promise<string>
  close(): Promise<void>
}

interface Waiting {
  place: number
  slot: number
  resolve(sha256: string): void
  reject(error: unknown): void
}

function startWriter(shared: SharedPlaces, names: Names): Writer {
  const { memory, cells, due, bytes, outcomes } = shared
  const words = Array.from({ length: PLACES }, (_, place) => shared.said(place))
  const waiting = createSlots<Waiting>()
  let looking = false
  let failure: unknown
  const settle = (one: Waiting): void => {
    const { place, slot, resolve, reject } = one
    const outcome = Atomics.load(outcomes, place)
    if (outcome === OUTCOME.none) return
    waiting.remove(slot, one)
    const text = words[place]?.toString('latin1', 0, shared.saidBytes[place]) ?? ''
    if (outcome === OUTCOME.kept) resolve(text)
    else reject(Object.assign(new Error(text), { code: text }))
  }
  /** Looks at all that wait whenever some are done, until none is left. */
  const look = async (): Promise<void> => {
    looking = true
    while (waiting.size() > 0) {
      const done = Atomics.load(cells, CELL.done)
      waiting.each(settle)
      if (waiting.size() > 0) await Atomics.waitAsync(cells, CELL.done, done).value
    }
    looking = false
  }
  const fail = (error: unknown): void => {
    failure ??= error
    waiting.each((one) => {
      waiting.remove(one.slot, one)
      one.reject(error)
    })
  }
  const workerData = { memory, ...names, tellPoints: pointsHeard() } satisfies WriterData
  const thread = new Worker(WORKER, { workerData, execArgv: [], resourceLimits: LITTLE })
  thread.on('error', fail)
  thread.on('message', (name: PointName) => void hear(cells, name).catch(fail))
  const ended = new Promise((resolve) => thread.once('exit', resolve))
  const bell = bellOf(cells)
  return {
    keep: (place, length) =>
      new Promise((resolve, reject) => {
        if (failure !== undefined) return reject(failure)
        const one: Waiting = { place, slot: 0, resolve, reject }
        one.slot = waiting.add(one)
        bytes[place] = length
        Atomics.store(outcomes, place, OUTCOME.none)
        const at = Atomics.load(cells, CELL.due)
        due[at & (PLACES - 1)] = place
        Atomics.store(cells, CELL.due, (at + 1) | 0)
        if (Atomics.load(cells, CELL.idle) === 1) bell.ringSoon()
        if (!looking) void look().catch(fail)
      }),
    async close() {
      Atomics.store(cells, CELL.stop, 1)
      bell.ring()
      await ended
    },
  }
}

function bellOf(cells: Int32Array) {
  let soon = false
  const ring = (): void => {
    soon = false
    Atomics.add(cells, CELL.bell, 1)
    Atomics.notify(cells, CELL.bell)
  }
  return {
    ring,
    /** Once for all that this turn hands over: to wake a thread costs more than that. */
    ringSoon(): void {
      if (!soon) setImmediate(ring)
      soon = true
    },
  }
}

/** A point within a thread is one of the process: the thread goes on when whoever listens has done so. */
async function hear(cells: Int32Array, name: PointName): Promise<void> {
  await point(name)
  Atomics.add(cells, CELL.heard, 1)
  Atomics.notify(cells, CELL.heard)
}

/** The thread takes some 18 MB. */
const LITTLE = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16, stackSizeMb: 1 }
/** Beside this file, in the sources as in what is built of them. */
const WORKER = new URL(`./small-files-worker${extname(import.meta.url)}`, import.meta.url)
