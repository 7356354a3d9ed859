import { createInterface } from 'node:readline/promises'

/** The streams for a question and its answer. */
export interface Terminal {
  input: NodeJS.ReadableStream
  output: NodeJS.WritableStream
  signal: AbortSignal
}

/** Returns whether a person can answer at a terminal. */
export function somebodyIsThere(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY
}

/** Asks a question. Any answer but `y` or `yes`, and the end of input, mean no. Rejects if aborted. */
export async function ask(question: string, { input, output, signal }: Terminal): Promise<boolean> {
  const lines = createInterface({ input, output })
  const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')))
  try {
    const answer = await Promise.race([lines.question(`${question} [y/N] `, { signal }), ended])
    return /^(y|yes)$/i.test(answer.trim())
  } finally {
    lines.close()
  }
}
