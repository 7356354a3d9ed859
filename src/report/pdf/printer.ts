import { mkdir, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CallsheetError } from '../../core/errors.ts'
import { type ProgramEnd, runProgram } from '../../core/run-program.ts'
import type { Clock } from '../../core/time/clock.ts'
import { whenAborted } from '../../core/waiting.ts'
import { findChromium } from './find-chromium.ts'

export interface PrinterSettings {
  /** The path of a Chromium; null: the first one in the system's path. */
  chromium: string | null
  /** What Chromium inherits; it must contain no secret. */
  environment: Readonly<Record<string, string | undefined>>
  clock: Clock
  /** Stops Chromium and its children. */
  signal?: AbortSignal | undefined
}

/** Prints pages as PDF with a Chromium that is already on this machine. */
export interface Printer {
  /** Returns the path of the Chromium. */
  find(): Promise<string>
  /**
   * Prints the page `PAGE` in this folder as `PDF` beside it. Throws a CallsheetError if Chromium is missing
   * or fails, and the signal's reason if it aborts.
   */
  print(folder: string): Promise<void>
}

export function createPrinter(settings: PrinterSettings): Printer {
  const find = (): Promise<string> => findChromium(settings)
  return { find, print: async (folder) => await print(await find(), folder, settings) }
}

/** Everything that Chromium writes is in the folder, except sockets, whose paths must be short. */
async function print(
  chromium: string,
  folder: string,
  { environment, clock, signal }: PrinterSettings,
): Promise<void> {
  const home = join(folder, 'home')
  await mkdir(home, { mode: 0o700 })
  const sockets = await mkdtemp(join(tmpdir(), 'callsheet-'))
  const stop = new AbortController()
  const late = clock.alarm(TIMEOUT_MS, () => stop.abort(tooLate()))
  const unheard = whenAborted(signal, () => stop.abort(signal?.reason))
  try {
    signal?.throwIfAborted()
    const end = await runProgram({
      command: [chromium, ...FLAGS, ...(isRoot() ? ['--no-sandbox'] : []), PAGE],
      environment: { ...environment, HOME: home, TMPDIR: sockets },
      directory: folder,
      stop: stop.signal,
      supervised: true,
    }).catch((error: unknown) => {
      throw notStarted(error as NodeJS.ErrnoException)
    })
    stop.signal.throwIfAborted()
    if (end.exitCode !== 0) throw failed(`it ended with ${end.how}`, end)
    if (!(await isWhole(join(folder, PDF)))) throw failed('it wrote no complete PDF', end)
  } finally {
    late()
    unheard()
    await rm(sockets, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Chromium exits with 0 even if it wrote nothing. */
async function isWhole(path: string): Promise<boolean> {
  const file = await open(path).catch(() => undefined)
  if (file === undefined) return false
  try {
    const { size } = await file.stat()
    const [head, tail] = [Buffer.alloc(5), Buffer.alloc(Math.min(size, 32))]
    await file.read(head, 0, head.length, 0)
    await file.read(tail, 0, tail.length, size - tail.length)
    return (
      head.toString('latin1') === '%PDF-' && tail.toString('latin1').trimEnd().endsWith('%%EOF')
    )
  } finally {
    await file.close()
  }
}

const isRoot = (): boolean => process.getuid?.() === 0

function notStarted({ code = 'error' }: NodeJS.ErrnoException): CallsheetError {
  return new CallsheetError('chromium_failed', {
    tried: TRIED,
    came: `Chromium cannot be started (${code})`,
    todo: TRY_IT,
  })
}

function failed(came: string, { errors }: ProgramEnd): CallsheetError {
  // Quotes none of its messages, because they may contain paths.
  const sandbox = /sandbox/i.test(errors)
  return new CallsheetError('chromium_failed', {
    tried: TRIED,
    expected: 'exit code 0 and a PDF',
    came: sandbox ? `${came}, because it cannot set up its sandbox` : came,
    todo: sandbox ? ALLOW_SANDBOX : TRY_IT,
  })
}

function tooLate(): CallsheetError {
  return new CallsheetError('chromium_late', {
    tried: TRIED,
    came: `it was stopped because it ran longer than ${TIMEOUT_MS / 1000} s`,
    todo: TRY_IT,
  })
}

/** The names of the page and the PDF in the folder, so that no argument names a report or an account. */
export const PAGE = 'page.html'
export const PDF = 'page.pdf'

/**
 * The page is our own and inert: escaped text and inline styles, no script, and a policy that forbids all
 * requests. Chromium keeps its sandbox, except as root, because it refuses to start with a sandbox as root.
 * The proxy has no listener and the resolver finds no host, so that Chromium's own requests, such as checks
 * for updates, fail too.
 */
const FLAGS = [
  '--headless',
  `--print-to-pdf=${PDF}`,
  '--no-pdf-header-footer',
  '--user-data-dir=profile',
  '--proxy-server=http://127.0.0.1:9',
  '--proxy-bypass-list=<-loopback>',
  '--host-resolver-rules=MAP * ~NOTFOUND',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-extensions',
  '--disable-default-apps',
  '--disable-crash-reporter',
  '--disable-gpu',
  // By default, containers have only 64 MB of shared memory.
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--no-default-browser-check',
]
/** A summary takes about 2 s, and a busy machine ten times that. */
const TIMEOUT_MS = 60_000
const TRIED = 'Making a PDF with Chromium'
const TRY_IT =
  'try it by hand with chromium --headless --print-to-pdf=test.pdf about:blank, or set reports.chromium to ' +
  'another one'
const ALLOW_SANDBOX =
  'allow this user unprivileged user namespaces, or set reports.chromium to a script that starts Chromium ' +
  'with --no-sandbox'
