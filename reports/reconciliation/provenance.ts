import type { Section } from '../../src/core/define/report.ts'
import { figures } from '../shared/blocks.ts'
import { type DayFacts, storyOf } from './summary.ts'

/** The verdict on the day, and the last head by which its entries can be checked. */
export function provenanceSection(facts: DayFacts): Section {
  const head = facts.heads.at(-1)
  const { ofDay } = facts.runs
  const rests = figures('What it rests on', {
    'Runs of the day': ofDay.length === 0 ? 'none' : `${ofDay[0]?.id} to ${ofDay.at(-1)?.id}`,
    ...(head === undefined
      ? { 'Last head of the day': 'none was signed' }
      : {
          'Last head of the day': `number ${head.number}, over ${head.last_seq} entries`,
          'Its hash (SHA-256) begins': head.digest,
          'Fingerprint of the key begins': head.key,
        }),
  })
  return { title: 'Provenance', provenance: true, blocks: [...storyOf(facts), rests] }
}
