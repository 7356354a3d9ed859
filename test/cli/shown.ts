import { expect } from 'vitest'

/** The non-empty lines of a block that shows a command's output. */
export function linesOf(shown: string): string[] {
  return shown.split('\n').filter((line) => line.trim() !== '')
}

/**
 * Expects each shown line in the output, in order and as a whole; `...` is any text. Ignores only what no two
 * runs share: hashes, times, dates, ports, sizes of files, widths. Estimates ("about 1,900") may be 50 % off.
 */
export function expectShown(said: string, shown: readonly string[]): void {
  const lines = said.split('\n').map(blur)
  let from = 0
  for (const line of shown.filter((one) => one.trim() !== '...')) {
    const at = lines.findIndex((one, index) => index >= from && isShownBy(blur(line), one))
    expect(at, `"${line}" after line ${from} of\n${said}`).toBeGreaterThanOrEqual(0)
    from = at + 1
  }
}

function isShownBy(shown: string, line: string): boolean {
  const pattern = shown
    .split(/( ?\.\.\.|about [\d,]+)/)
    .map((part, at) => (at % 2 === 0 ? escaped(part) : part.endsWith('...') ? '.*' : ABOUT))
  const found = new RegExp(`^${pattern.join('')}$`).exec(line)
  const estimates = [...shown.matchAll(new RegExp(ABOUT, 'g'))].map(([, text]) => numberOf(text))
  return (
    found !== null &&
    estimates.every((estimate, at) => {
      const ratio = numberOf(found[at + 1]) / estimate
      return ratio > 0.5 && ratio < 1.5
    })
  )
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
}

function numberOf(text = ''): number {
  return Number(text.replaceAll(',', ''))
}

function blur(line: string): string {
  return line
    .replaceAll(/\b[0-9a-f]{64}\b/g, '#')
    .replaceAll(/\b\d{4}-\d\d(-\d\d)?\b/g, '#')
    .replaceAll(/\d\d:\d\d\b/g, '#')
    .replaceAll(/127\.0\.0\.1:\d+/g, '#')
    .replaceAll(/(about )?\d[\d,.]* ?(ms|s|min|h|KB|MB)\b/g, '#')
    .replaceAll(/ +/g, ' ')
    .trim()
}

const ABOUT = 'about ([\\d,]+)'
