import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import type { Terminal } from '../apply/ask.ts'
import { terminalWidth } from '../frame/output.ts'
import { StoppedError } from '../frame/signals.ts'
import { wrapLine } from '../frame/table.ts'

/** The streams. `terminal`: the streams are a terminal, which echoes input unless the input is hidden. */
export type PromptStreams = Terminal & {
  terminal: boolean
  output: { isTTY?: boolean; columns?: number }
}

export interface Prompt {
  /** Shows a text, with long lines broken between words. */
  say(text: string): void
  /** Repeats the question until `check` accepts the answer; an empty answer means the default. */
  text(question: string, options?: TextOptions): Promise<string>
  /** Asks for an answer that is never shown. It may be empty only if it is optional. */
  secret(question: string, optional?: 'optional'): Promise<string>
  /** Asks yes or no; an empty answer means the default. */
  yes(question: string, byDefault: boolean): Promise<boolean>
  /** Waits for work, and rejects when the signal aborts or the input ends. */
  during<T>(work: Promise<T>): Promise<T>
  close(): void
}

export interface TextOptions {
  byDefault?: string
  /** Returns what is wrong with an answer; undefined if it is valid. */
  check?(answer: string): string | undefined
}

/**
 * Asks questions on a terminal. A pending question rejects when the input ends, the user presses Ctrl-C, or
 * `signal` aborts.
 */
export function openPrompt({ input, output, signal, terminal }: PromptStreams): Prompt {
  let hidden = false
  const shown = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      if (!hidden) output.write(chunk)
      done()
    },
  })
  // With a history, the up arrow would show a secret again.
  const lines = createInterface({ input, output: shown, terminal, historySize: 0 })
  // A terminal in raw mode sends Ctrl-C as a key.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  const over = Promise.withResolvers<never>()
  // Prevents an unhandled rejection, because no question may be waiting yet.
  over.promise.catch(() => {})
  lines.once('close', () => over.reject(new StoppedError('the input ended before all answers')))
  signal.addEventListener('abort', () => over.reject(signal.reason as Error), { once: true })
  const during: Prompt['during'] = (work) => Promise.race([work, over.promise])
  const line = async (question: string): Promise<string> =>
    (await during(lines.question(question))).trim()
  const say = (text: string): void => {
    for (const part of text.split('\n'))
      output.write(`${wrapLine(part, terminalWidth(output)).join('\n')}\n`)
  }
  const secret: Prompt['secret'] = async (question, optional) => {
    output.write(`${question}: `)
    hidden = true
    const answer = await line('').finally(() => {
      hidden = false
      say('')
    })
    if (answer !== '' || optional !== undefined) return answer
    say('  Enter a value.')
    return await secret(question)
  }
  return {
    say,
    secret,
    during,
    async text(question, { byDefault = '', check = () => undefined } = {}) {
      const usual = byDefault === '' ? '' : ` [${byDefault}]`
      for (;;) {
        const answer = (await line(`${question}${usual}: `)) || byDefault
        const wrong = check(answer)
        if (wrong === undefined) return answer
        say(`  Enter ${wrong}.`)
      }
    },
    async yes(question, byDefault) {
      for (;;) {
        const answer = await line(`${question} ${byDefault ? '[Y/n]' : '[y/N]'} `)
        if (answer === '') return byDefault
        const [said] = /^(y|n)(?=(es|o)?$)/i.exec(answer) ?? []
        if (said !== undefined) return said.toLowerCase() === 'y'
        say('  Enter y or n.')
      }
    },
    close: () => lines.close(),
  }
}
