import { DeliveryError } from '../../core/errors.ts'
import { runProgram } from '../../core/run-program.ts'
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

async function run({
  tried,
  command,
  environment,
  input,
  stop,
}: CommandSettings & { tried: string; input: string; stop: AbortSignal }): Promise<void> {
  const { exitCode, how } = await runProgram({ command, environment, input, stop }).catch(
    (error: unknown) => {
      throw cannotStart(tried, error as NodeJS.ErrnoException)
    },
  )
  if (exitCode !== 0) throw endedBadly(tried, how)
}

function cannotStart(tried: string, { code = 'error' }: NodeJS.ErrnoException): DeliveryError {
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
