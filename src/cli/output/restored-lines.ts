import { utcMinutes } from '../../core/time/time.ts'
import type { Lost } from '../../erasure/find-lost.ts'
import type { RestoredAccount } from '../../erasure/restore-account.ts'
import { asCalled } from '../frame/called-as.ts'
import { count, type Output, printFacts } from '../frame/output.ts'

/** What the database lacks, in numbers and times: nobody is named. */
export function printLost(output: Output, { restored, runs, heads, erasures }: Lost): void {
  if (restored === undefined)
    output.line(
      'The database has all that this machine knows of, or this machine knows of nothing.',
    )
  else {
    const { note, knownUntil } = restored
    const known = knownUntil === undefined ? '(nothing)' : timeOf(knownUntil)
    printFacts(output, [
      ['the database knows of', known],
      ['this machine worked with it', timeOf(note.at)],
      ['runs that are lost', runsText(runs)],
    ])
  }
  if (heads !== undefined)
    output.line(
      `Signed heads that are lost: ${heads.first === heads.last ? '' : `${heads.first} to `}${heads.last}.`,
    )
  if (erasures.lost.length > 0)
    output.line(`Erasures that the database does not know of: ${count(erasures.lost.length)}.`)
  if (erasures.sealed > 0)
    output.note(
      `${count(erasures.sealed)} erasures are noted under a key that no key here opens. ` +
        asCalled('Erase these persons by name: callsheet erase --from FILE --yes'),
    )
  if (erasures.strange > 0)
    output.note(`${count(erasures.strange)} notes of erasures were not made with a key of ours.`)
}

export function printSettled(
  output: Output,
  { lost, quota, broken, erased }: RestoredAccount,
): void {
  if (erased.length === 0) output.line('Nobody who was erased is in the tables.')
  if (quota === 'noted')
    output.line('Calls of today count as spent as this machine last noted them.')
  if (quota === 'unknown')
    output.line(
      'How many calls were made today is not known: where there is a daily quota, it counts as spent ' +
        'until 00:00 UTC.',
    )
  if (broken !== undefined)
    output.line(`The break is entered: heads ${broken.after + 1} to ${broken.to} are lost.`)
  else if (lost.heads !== undefined)
    output.note(
      asCalled(
        'No evidence is signed before the holder of the key enters the break: ' +
          'callsheet restored --enter-break',
      ),
    )
  output.line(asCalled('Work goes on: callsheet sync'))
}

export function lostJson({ restored, runs, heads, erasures }: Lost): object {
  return {
    restored: restored !== undefined,
    knownUntil: restored?.knownUntil ?? null,
    workedAt: restored?.note.at ?? null,
    runs,
    heads: heads ?? null,
    lostErasures: erasures.lost.length,
    sealedErasures: erasures.sealed,
    strangeNotes: erasures.strange,
  }
}

function runsText({ noted, known }: Lost['runs']): string {
  if (noted === undefined) return 'not known: the last work was cut off'
  if (known !== undefined && known >= noted) return 'none'
  return known === undefined || known + 1 === noted ? `${noted}` : `${known + 1} to ${noted}`
}

function timeOf(instant: string): string {
  return `until ${utcMinutes(Date.parse(instant))} UTC`
}
