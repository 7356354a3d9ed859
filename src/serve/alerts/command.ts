import { type ChildProcess, spawn } from 'node:child_process'
import { DeliveryError } from '../../core/errors.ts'
import type { Clock } from '../../core/time/clock.ts'
import { messageJson } from './attachments.ts'
import type { Channel } from './message.ts'
import { withinTime } from './within-time.ts'

export interface CommandSettings {
  /** The setting of the command, for errors. */
  setting: string
  /** The program and its arguments. No shell interprets them. */
  command: readonly string[]
  /** The program's environment. It does not inherit ours, which may contain secrets. */
  environment: Readonly<Record<string, string | undefined>>
  timeoutMs: number
}

/**
 * Starts a program for each message and writes the message as JSON to its standard input. Its output is
 * discarded. Exit code 0 means success. After the timeout the program and its children are killed.
 */
export function createCommand(settings: CommandSettings, { clock }: { clock: Clock }): Channel {
  const { setting, timeoutMs } = settings
  const tried = `Running the command of ${setting}`
  return {
    name: 'command',
    async send(message, signal) {
      const input = await messageJson(message, tried)
      const late = (): DeliveryError => lateError(tried, timeoutMs)
      await withinTime({ clock, timeoutMs, signal }, late, (stop) =>
        run({ ...settings, tried, input, stop }),
      )
      return undefined
    },
  }
}

function run({
  tried,
  command,
  environment,
  input,
  stop,
}: CommandSettings & { tried: string; input: string; stop: AbortSignal }): Promise<void> {
  const [program = '', ...args] = command
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      env: { ...environment },
      stdio: ['pipe', 'ignore', 'ignore'],
      shell: false,
      windowsHide: true,
      // Runs in its own process group, so that its children can be killed too.
      detached: process.platform !== 'win32',
    })
    const end = (): void => endGroup(child)
    stop.addEventListener('abort', end, { once: true })
    child.once('error', (error) => reject(cannotStart(tried, error)))
    child.once('exit', (code, signal) => {
      stop.removeEventListener('abort', end)
      if (code === 0) resolve()
      else
        reject(endedBadly(tried, code === null ? `signal ${String(signal)}` : `exit code ${code}`))
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

function cannotStart(tried: string, error: Error): DeliveryError {
  const { code = 'error' } = error as NodeJS.ErrnoException
  return new DeliveryError('command_not_started', false, {
    tried,
    expected: 'a program that this user can run',
    came:
      code === 'ENOENT' ? 'the program does not exist' : `the program cannot be started (${code})`,
    todo: 'set the command to the full path of a program that this user can run',
  })
}

function endedBadly(tried: string, how: string): DeliveryError {
  return new DeliveryError('command_failed', true, {
    tried,
    expected: 'exit code 0',
    came: `the command ended with ${how}`,
    todo: 'run the command by hand with a JSON message on its standard input',
  })
}

function lateError(tried: string, timeoutMs: number): DeliveryError {
  return new DeliveryError('delivery_late', true, {
    tried,
    came: `the command was stopped because it ran longer than ${timeoutMs / 1000} s`,
    todo: 'run the command by hand to find out why it does not end',
  })
}
