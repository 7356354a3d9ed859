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
  expect(scale).toContain(`some ${thousands(loaded[2])} session reports a second and`)
  expect(scale).toContain(`reads some ${thousands(unchanged[2])} unchanged ones`)
  const [spent = '', less = ''] = [loaded[5], unchanged[5]]
  expect(scale).toContain(
    `${spent} seconds of a core on 100,000 new session reports, and ${less} on`,
  )
  expect(scale).toContain(`some ${thousands(String(100_000 / Number(spent)))} new reports a second`)
})
