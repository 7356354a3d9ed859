import type { Dispatcher } from 'undici'
import { CallsheetError } from '../../core/errors.ts'
import { neutralHeaders } from '../../core/records/translate.ts'
import type { Clock } from '../../core/time/clock.ts'
import { whenAborted } from '../../core/waiting.ts'
import type { AnswerHeaders } from '../answers/headers.ts'
import { networkFault, tooLate, tooLong, tooSlow } from '../answers/transport-faults.ts'
import type { Connection } from '../call/exchange.ts'
import { type FileEnd, fileEnd, mayBeFile } from './file-head.ts'

/** Accepts the bytes of a file in order, one piece at a time. */
export interface Sink {
  /** Returns undefined if the piece was accepted at once. */
  write(piece: Uint8Array): Promise<void> | undefined
  /** Discards all written bytes, because the attempt failed. */
  discard(): Promise<void>
}

export interface FileRequest {
  tried: string
  path: string
  headers: Record<string, string>
  /** The file's length, or the maximum if it is unknown. A longer body ends the download. */
  mostBytes: number
  signal: AbortSignal | undefined
  onSent: () => void
}

export interface FileAnswer {
  status: number
  headers: AnswerHeaders
  /** The beginning of the body. */
  held: Buffer
  /** The length of the body; all of it is written if it may be a file. */
  bytes: number
  end: FileEnd
}

interface Receiving extends Connection {
  headersTimeoutMs: number
  fileTimeoutMs: number
  sink: Sink
}

/**
 * Sends one GET and writes its body piece by piece; the service must wait while more than
 * `MOST_UNWRITTEN_BYTES` are unwritten. Throws if too few bytes arrive in `LOOK_EVERY_MS`, or if the body
 * takes too long in total: otherwise a slow body of unknown length would never end.
 */
export function receiveFile(to: Receiving, request: FileRequest): Promise<FileAnswer> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined
    let stopped: Error | undefined
    let quiet = (): void => {}
    let stopListening = (): void => {}
    const settle = (finish: () => void): void => {
      quiet()
      stopListening()
      finish()
    }
    const stop = (reason: Error): void => {
      if (stopped !== undefined) return
      stopped = reason
      controller?.abort(reason)
      void body.giveUp().then(() => settle(() => reject(reason)))
    }
    const onAbort = (): void => stop(request.signal?.reason as Error)
    const { tried } = request
    const ends: PaceEnds = {
      mostMs: to.fileTimeoutMs,
      tooFew: () => stop(tooSlow(tried, LEAST_BYTES_PER_SECOND)),
      overdue: () => stop(tooLate(tried, { mostMs: to.fileTimeoutMs, bytes: body.count() })),
    }
    const body = bodyWriter(to, request, stop)
    if (request.signal?.aborted === true) return onAbort()
    stopListening = whenAborted(request.signal, onAbort)
    const answer = { status: 0, headers: {}, end: 'unknown' as FileEnd }
    const finish = (): void => settle(() => resolve({ ...answer, ...body.came() }))
    to.pool.dispatch(getOf(to, request), {
      onRequestStart: (started) => {
        controller = started
        if (stopped === undefined) request.onSent()
        else started.abort(stopped)
      },
      onResponseStart: (_controller, status, received) => {
        const headers = neutralHeaders(to.words, received)
        Object.assign(answer, { status, headers, end: fileEnd(headers) })
        body.begin(status, headers)
        quiet()
        if (stopped === undefined) quiet = watchPace(to.clock, body, ends)
      },
      onResponseData: (started, piece) => body.take(started, piece),
      onResponseEnd() {
        const rest = body.written()
        if (rest === undefined) finish()
        else void rest.then(finish, stop)
      },
      onResponseError: (_controller, error) => stop(faultOf(request.tried, error)),
    })
  })
}

/** undici limits the time until the answer begins; our own clock watches the speed of the body. */
function getOf({ headersTimeoutMs }: Receiving, { path, headers }: FileRequest) {
  return { method: 'GET' as const, path, headers, headersTimeout: headersTimeoutMs, bodyTimeout: 0 }
}

/** Returns our own errors (a refused address, the sink's disk) unchanged, and others as a network fault. */
function faultOf(tried: string, error: Error): Error {
  return error instanceof CallsheetError ? error : networkFault(tried, error)
}

interface BodyWriter {
  begin(status: number, headers: AnswerHeaders): void
  take(controller: Dispatcher.DispatchController, piece: Buffer): void
  /** Resolves when every received piece is written; undefined if the sink accepted each at once. */
  written(): Promise<void> | undefined
  /** Starts no more writes and waits for the current one, so that the sink can be discarded. */
  giveUp(): Promise<void>
  came(): Pick<FileAnswer, 'held' | 'bytes'>
  count(): number
  /** True while more than `MOST_UNWRITTEN_BYTES` are unwritten. */
  full(): boolean
}

function bodyWriter(
  { sink }: Receiving,
  { tried, mostBytes }: FileRequest,
  stop: (reason: Error) => void,
): BodyWriter {
  let writing = false
  let count = 0
  let unwritten = 0
  let failed = false
  let tail: Promise<void> | undefined
  const held: Buffer[] = []
  const writeOut = async (
    taking: Promise<void>,
    controller: Dispatcher.DispatchController,
    bytes: number,
  ): Promise<void> => {
    await taking
    unwritten -= bytes
    if (unwritten <= MOST_UNWRITTEN_BYTES / 2) controller.resume()
  }
  const write = (controller: Dispatcher.DispatchController, piece: Buffer): void => {
    const later = (): Promise<void> | undefined => (failed ? undefined : sink.write(piece))
    const taking = tail === undefined ? sink.write(piece) : tail.then(later)
    if (taking === undefined) return
    unwritten += piece.length
    if (unwritten > MOST_UNWRITTEN_BYTES) controller.pause()
    tail = writeOut(taking, controller, piece.length)
    tail.catch((error: unknown) => stop(error as Error))
  }
  return {
    begin(status, headers) {
      writing = mayBeFile(status, headers)
    },
    take(controller, piece) {
      if (count < MOST_HELD_BYTES) held.push(piece.subarray(0, MOST_HELD_BYTES - count))
      count += piece.length
      const most = writing ? mostBytes : MOST_OTHER_BYTES
      if (count > most) return stop(tooLong(tried, most))
      if (writing) write(controller, piece)
    },
    written: () => tail,
    async giveUp() {
      failed = true
      await tail?.catch(() => {})
    },
    came: () => ({ held: Buffer.concat(held), bytes: count }),
    count: () => count,
    full: () => unwritten > MOST_UNWRITTEN_BYTES,
  }
}

interface PaceEnds {
  mostMs: number
  tooFew(): void
  overdue(): void
}

/**
 * Checks every `LOOK_EVERY_MS` how much arrived. A period that begins or ends with too many unwritten bytes
 * does not count as slow, because our own disk is the bottleneck. It counts toward the total time.
 */
function watchPace(clock: Clock, body: BodyWriter, { mostMs, tooFew, overdue }: PaceEnds) {
  let before = 0
  let lookedMs = 0
  let wasFull = false
  let cancel = (): void => {}
  const look = (): void => {
    const came = body.count() - before
    const ours = wasFull || body.full()
    if (!ours && came < (LEAST_BYTES_PER_SECOND * LOOK_EVERY_MS) / 1000) return tooFew()
    lookedMs += LOOK_EVERY_MS
    if (lookedMs >= mostMs) return overdue()
    before = body.count()
    wasFull = body.full()
    cancel = clock.alarm(LOOK_EVERY_MS, look)
  }
  cancel = clock.alarm(LOOK_EVERY_MS, look)
  return (): void => cancel()
}

const LEAST_BYTES_PER_SECOND = 1024
const LOOK_EVERY_MS = 30_000
const MOST_UNWRITTEN_BYTES = 256 * 1024
/** The part of a body that is held, enough to recognize errors and HTML pages. */
const MOST_HELD_BYTES = 65_536
const MOST_OTHER_BYTES = 2 ** 20
