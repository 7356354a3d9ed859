import type { Probe } from './probe.ts'

/** What earlier calls of this account have found out: a sync acts on it, so the probe shows it. */
export const foundReadings: Probe = {
  id: 'found-readings',
  lines: ['id-encoding'],
  assumption: 'no earlier call found a reading of the documents other than the default',
  operations: [],
  mostReads: 0,
  run({ found }) {
    if (found.length === 0) return { verdict: 'holds', found: 'nothing is remembered' }
    const told = found.map(({ reading, variant, shownBy }) => `${reading}: ${variant} (${shownBy})`)
    return {
      verdict: 'differs',
      found: told.join('; '),
      means: 'a sync goes by it until an answer shows otherwise',
      facts: Object.fromEntries(found.map(({ reading, variant }) => [reading, variant])),
    }
  },
}
