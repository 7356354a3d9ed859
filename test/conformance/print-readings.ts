import type { Reading, ReportedReading } from '../../sandbox/readings/reading.ts'
import { EACH_READING } from '../../sandbox/readings/readings.ts'
import { ASSUMPTIONS } from './assumptions.ts'

/** The page `docs/readings.md`: what the documents leave open, how it can be read, and what we do. */
export function printReadings(): string {
  const page = [
    ...INTRODUCTION,
    ...[1, 2, 3].flatMap((document) => [
      '',
      `## Document ${document}`,
      ...EACH_READING.filter(([, { where }]) => where.document === document).flatMap(sectionOf),
    ]),
    ...TAKEN_TO_BE_SO,
    ...ASSUMPTIONS.map(([of, says]) => `| ${of} | ${says} |`),
  ]
  return `${page.join('\n')}\n`
}

function sectionOf([name, reading]: readonly [string, Reading]): string[] {
  const { section, item } = reading.where
  return [
    '',
    `### ${name}`,
    '',
    `${reading.question} (${section}${item === undefined ? '' : `, ${item}`})`,
    '',
    ...Object.entries(reading.variants).map(
      ([variant, { does, told }]) =>
        `- \`${variant}\`${marksOf(reading, variant)}: ${does}${told === undefined ? '' : toldOf(told)}`,
    ),
    '',
    `Callsheet: ${reading.callsheet}`,
  ]
}

function marksOf({ usual, strict, lenient }: Reading, variant: string): string {
  const marks = [
    ...(variant === usual ? ['usual'] : []),
    ...(variant === strict ? ['strict'] : []),
    ...(variant === lenient ? ['lenient'] : []),
  ]
  return marks.length === 0 ? '' : ` (${marks.join(', ')})`
}

function toldOf({ adopt, passesMs = 0 }: ReportedReading): string {
  if (passesMs > 0) return ` The run is not green; one is, ${passesMs / 60_000} minutes later.`
  if (adopt === undefined) return ' The run is not green and says so.'
  const { account, archive } = adopt
  const settings = [
    ...(account === undefined ? [] : [`\`${JSON.stringify(account)}\` of the account`]),
    ...(archive === undefined ? [] : [`\`archive: ${JSON.stringify(archive)}\``]),
  ]
  return ` The run is not green and names the setting: ${settings.join(' and ')}.`
}

const INTRODUCTION = [
  '# Readings: what the documents of the service leave open',
  '',
  'Printed by `npm run readings` from `sandbox/readings/`; a test holds that this is what they say.',
  'The three documents of the API can be read in several ways in these places, or say nothing. Each reading',
  'is a switch of the sandbox (`callsheet sandbox --reading NAME=VARIANT`) with its variants. A test syncs a',
  'whole account under each variant alone, and the simulation draws them from its seeds. Under each, the',
  'tables equal what the service holds, or the run is not green and names what differs.',
  '*usual* is what the sandbox does where nobody chooses (without it the seed draws one), *strict* demands',
  'the most of a client, *lenient* forgives the most.',
]

const TAKEN_TO_BE_SO = [
  '',
  '## What else is taken to be so',
  '',
  'The documents do not show these; they are what services of this kind do. Nothing is lost in silence where',
  'one of them does not hold: what a list did not answer as asked is not complete.',
  '',
  '| of | taken to be so |',
  '|---|---|',
]

if (import.meta.main) process.stdout.write(printReadings())
