/**
 * The memory that this process and its writing thread share: the bytes of small files, each in a place of
 * its own, the order in which places are due, and what became of each. It takes no message to hand one over,
 * which would cost a thread more than the file.
 */
export interface SharedPlaces {
  memory: SharedArrayBuffer
  /** Cells by the names of `CELL`, for Atomics. */
  cells: Int32Array
  /** The places that are due, in a circle: no more are due at once than there are. */
  due: Int32Array
  /** By place: how many bytes it holds, and the length of what is said of it once it is done. */
  bytes: Int32Array
  saidBytes: Int32Array
  /** By place: what became of it, as `OUTCOME` names it. */
  outcomes: Int32Array
  said(place: number): Buffer
  content(place: number): Buffer
}

/**
 * `due` were handed over so far, `begun` taken by the thread, `done` done; the thread ends at `stop`. At the
 * `bell` it looks, which is rung only where it says that it is `idle`: as long as it has something to flush
 * it looks by itself. `heard` counts the points that were heard of.
 */
export const CELL = { due: 0, begun: 1, done: 2, stop: 3, bell: 4, heard: 5, idle: 6 }
export const OUTCOME = { none: 0, kept: 1, failed: 2 }
/** A power of two, as counts go round. */
export const PLACES = 64
/** What is written in one go: larger files go piece by piece. */
export const PLACE_BYTES = 64 * 1024

export function sharedPlaces(memory = new SharedArrayBuffer(ALL_BYTES)): SharedPlaces {
  const ints = (from: number): Int32Array => new Int32Array(memory, from * PLACES * 4, PLACES)
  return {
    memory,
    cells: ints(0),
    due: ints(1),
    bytes: ints(2),
    saidBytes: ints(3),
    outcomes: ints(4),
    said: (place) => Buffer.from(memory, HEAD_BYTES + place * SAID_BYTES, SAID_BYTES),
    content: (place) => Buffer.from(memory, CONTENT_AT + place * PLACE_BYTES, PLACE_BYTES),
  }
}

/** A hash in hex, or the system's code for why there is none. */
const SAID_BYTES = 64
const HEAD_BYTES = 5 * PLACES * 4
const CONTENT_AT = HEAD_BYTES + PLACES * SAID_BYTES
const ALL_BYTES = CONTENT_AT + PLACES * PLACE_BYTES
