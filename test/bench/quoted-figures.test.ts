import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const page = (name: string): string =>
  readFileSync(join(import.meta.dirname, '..', '..', 'docs', name), 'utf8')

it('the page about scale quotes the figures that the bench printed last', () => {
  const [loaded = [], , , unchanged = []] = page('performance.md')
    .split('## Session reports')[1]!
    .split('\n')
    .filter((line) => /^\| (?:first load|unchanged): /.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()))
  const thousands = (cell = ''): string => `${Math.round(Number(cell.replace(',', '')) / 1000)},000`
  const scale = page('scale.md').replaceAll('\n', ' ')
  expect(scale).toContain(`loads about ${thousands(loaded[2])} session reports a second`)
  expect(scale).toContain(`reads about ${thousands(unchanged[2])} unchanged ones`)
})
