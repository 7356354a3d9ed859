import type { Cell, Section } from '../../src/core/define/report.ts'
import type { Source } from './source.ts'
import { type DayFacts, storyOf } from './summary.ts'

/** The verdict on the day, and the last head by which its entries can be checked. */
export function provenanceSection(_source: Source, facts: DayFacts): Section {
  const head = facts.heads.at(-1)
  const figures: [string, Cell][] =
    head === undefined
      ? [['Last head of the day', 'none was signed']]
      : [
          ['Last head of the day', `number ${head.number}, over ${head.last_seq} entries`],
          ['Its hash (SHA-256) begins', head.digest],
          ['Fingerprint of the key begins', head.key],
        ]
  const { ofDay } = facts.runs
  const runs = ofDay.length === 0 ? 'none' : `${ofDay[0]?.id} to ${ofDay.at(-1)?.id}`
  figures.unshift(['Runs of the day', runs])
  return {
    title: 'Provenance',
    provenance: true,
    blocks: [
      ...storyOf(facts),
      {
        kind: 'figures',
        title: 'What it rests on',
        figures: figures.map(([label, value]) => ({ label, value, format: 'text' })),
      },
    ],
  }
}
