import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BundleOrder } from './bundle-write.ts'
import { runChild } from './child.ts'
import { mebibytes, seconds, type Table } from './figures.ts'
import type { Part, PartOptions } from './part.ts'
import type { Spent } from './spent.ts'

export const bundlePart: Part = {
  about: 'bundles of many members: what one more costs where there are ten times as many',
  async measure(options) {
    const members = options.rows ?? (options.quick ? 20_000 : 100_000)
    const few = await write(members / 10, options)
    const many = await write(members, options)
    const times = costOf(many) / costOf(few)
    const figure = {
      what: `bundle, ${named(few)} to ${named(many)} members: time a member`,
      measured: `${times.toFixed(2)} x`,
      beside: `${costOf(few).toFixed(0)} to ${costOf(many).toFixed(0)} microseconds`,
      target: `<= ${MOST_TIMES}`,
      met: times <= MOST_TIMES,
    }
    return { figures: [figure], tables: [costTable([few, many])] }
  },
}

async function write(
  members: number,
  { nodeFlags, profileDirectory }: PartOptions,
): Promise<Spent> {
  const directory = mkdtempSync(join(tmpdir(), 'callsheet-bench-'))
  try {
    const order: BundleOrder = { directory, members }
    const child = { nodeFlags, profileDirectory }
    return await runChild<BundleOrder, Spent>('bundle-write.ts', order, child)
  } finally {
    rmSync(directory, { recursive: true })
  }
}

function named({ rows }: Spent): string {
  return rows.toLocaleString('en')
}

/** Microseconds of CPU a member. */
function costOf({ cpuMs, rows }: Spent): number {
  return (cpuMs * 1000) / rows
}

function costTable(bundles: readonly Spent[]): Table {
  const lines = bundles.map((one) => [
    named(one),
    seconds(one.wallMs),
    seconds(one.cpuMs),
    mebibytes(one.peakBytes),
  ])
  return {
    title: 'bundle: members of a few bytes',
    lines: [['members', 'wall', 'CPU', 'peak memory'], ...lines],
  }
}

const MOST_TIMES = 1.25
