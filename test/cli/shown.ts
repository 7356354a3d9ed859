import { expect } from 'vitest'

/** The non-empty lines of a block that shows a command's output. */
export function linesOf(shown: string): string[] {
  return shown.split('\n').filter((line) => line.trim() !== '')
}

/** Expects each shown line in the output, in order. Ignores numbers, hashes and widths; `...` is any text. */
export function expectShown(said: string, shown: readonly string[]): void {
  const lines = said.split('\n').map(blur)
  let from = 0
  for (const line of shown.filter((one) => one.trim() !== '...')) {
    const [begin = '', end = ''] = blur(line).split(' ...')
    const at = lines.findIndex(
      (one, index) => index >= from && one.startsWith(begin) && one.endsWith(end),
    )
    expect(at, `"${line}" after line ${from} of\n${said}`).toBeGreaterThanOrEqual(0)
    from = at + 1
  }
}

function blur(line: string): string {
  return line
    .replaceAll(/\b[0-9a-f]{64}\b/g, '#')
    .replaceAll(/\d[\d,.:/-]*( ?(ms|s|min|h|KB|MB))?\b/g, '#')
    .replaceAll(/ +/g, ' ')
    .trim()
}
