import { type ChildProcess, spawn } from 'node:child_process'

export interface Program {
  /** The program and its arguments. No shell interprets them. */
  command: readonly string[]
  /** The program's environment. It does not inherit ours, which may contain secrets. */
  environment: Readonly<Record<string, string | undefined>>
  /** Kills the program and, except on Windows, its process group. */
  stop: AbortSignal
  /** Written to its standard input. */
  input?: string
  /** The folder it runs in; by default ours. */
  directory?: string
  /** Reads the end of its standard error. When it exits, kills the rest of its process group. */
  supervised?: true
}

export interface ProgramEnd {
  /** Null if a signal ended it. */
  exitCode: number | null
  /** How it ended: `exit code 1` or `signal SIGKILL`. */
  how: string
  /** The end of its standard error, if it was supervised. */
  errors: string
}

/** Runs a program until it ends. Rejects with the system's error if it cannot be started. */
export async function runProgram(program: Program): Promise<ProgramEnd> {
  const { command, environment, stop, input = '', directory, supervised } = program
  const [file = '', ...args] = command
  return await new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      env: { ...environment },
      cwd: directory,
      stdio: ['pipe', 'ignore', supervised === true ? 'pipe' : 'ignore'],
      shell: false,
      windowsHide: true,
      // Runs in its own process group, so that its children can be killed too.
      detached: process.platform !== 'win32',
    })
    const end = (): void => endGroup(child)
    if (stop.aborted) end()
    stop.addEventListener('abort', end, { once: true })
    let errors = ''
    child.stderr?.setEncoding('utf8')
    child.stderr?.on('data', (piece: string) => {
      errors = (errors + piece).slice(-MOST_ERRORS)
    })
    child.once('error', (error) => {
      stop.removeEventListener('abort', end)
      reject(error)
    })
    // Not `close`, which waits for children that keep standard error open.
    child.once('exit', (exitCode, signal) => {
      stop.removeEventListener('abort', end)
      if (supervised === true) end()
      const how = exitCode === null ? `signal ${String(signal)}` : `exit code ${exitCode}`
      resolve({ exitCode, how, errors })
    })
    // A program may end without reading its input.
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })
}

function endGroup(child: ChildProcess): void {
  const { pid } = child
  if (pid === undefined) return
  try {
    if (process.platform === 'win32') child.kill('SIGKILL')
    else process.kill(-pid, 'SIGKILL')
  } catch {
    // The process has already ended.
  }
}

/** The maximum number of characters of standard error that are returned. */
const MOST_ERRORS = 10_000
