import { createInterface } from 'node:readline/promises'

/** Where a person types, and where the question is shown. */
export interface Terminal {
  input: NodeJS.ReadableStream
  output: NodeJS.WritableStream
  signal: AbortSignal
}

/** Whether somebody sits there who can be asked. */
export function somebodyIsThere(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY
}

/** Asks; anything but a yes is a no, and so is the end of input. Rejects when it is stopped meanwhile. */
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
