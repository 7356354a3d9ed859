import { createInterface } from 'node:readline/promises'
import type { Context } from '../context.ts'

/** Asks on the terminal; anything but a yes is a no, and so is the end of input. */
export async function askToApply(
  { signal }: Pick<Context, 'signal'>,
  question: string,
): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')))
  try {
    const answer = await Promise.race([lines.question(`${question} [y/N] `, { signal }), ended])
    return /^(y|yes)$/i.test(answer.trim())
  } finally {
    lines.close()
  }
}
