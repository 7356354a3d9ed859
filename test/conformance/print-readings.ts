import type { Reading, ReportedReading } from '../../sandbox/readings/reading.ts'
import { EACH_READING } from '../../sandbox/readings/readings.ts'

/** The page `docs/readings.md`: what the documents leave open, how it can be read, and what we do. */
export function printReadings(): string {
  const page = [
    ...INTRODUCTION,
    ...[1, 2, 3].flatMap((document) => [
      '',
      `## Document ${document}`,
      ...EACH_READING.filter(([, { where }]) => where.document === document).flatMap(sectionOf),
    ]),
    ...OTHER_ASSUMPTIONS,
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
    ...Object.entries(reading.variants).map(([variant, { does, told }]) => {
      const mark = variant === reading.usual ? ' (default)' : ''
      return `- \`${variant}\`${mark}: ${does}${told === undefined ? '' : toldOf(told)}`
    }),
    '',
    `Callsheet: ${reading.callsheet}`,
  ]
}

function toldOf({ adopt, passesMs = 0 }: ReportedReading): string {
  if (passesMs > 0) return ` *Incomplete*; complete ${passesMs / 60_000} minutes later.`
  if (adopt === undefined) return ' *Incomplete.*'
  const { account, archive } = adopt
  const settings = [
    ...(account === undefined ? [] : [`\`${JSON.stringify(account)}\` of the account`]),
    ...(archive === undefined ? [] : [`\`archive: ${JSON.stringify(archive)}\``]),
  ]
  return ` *Incomplete* until you set ${settings.join(' and ')}.`
}

const INTRODUCTION = [
  '# Readings: what the API documents leave open',
  '',
  'Where the three API documents are ambiguous or silent, this page lists what a service may do, and what',
  'Callsheet does then. A sync gives the same tables under every variant, except those marked *incomplete*:',
  'there the run is incomplete and names the cause. To try one, start',
  '`callsheet sandbox --reading NAME=VARIANT`, or with `--reading strict` for the most demanding variant of',
  'each (`lenient`: the most forgiving). Tests sync an account under each.',
  '',
  'Printed by `npm run readings` from `sandbox/readings/`.',
]

const OTHER_ASSUMPTIONS = [
  '',
  '## Other assumptions',
  '',
  'Services of this kind usually behave as follows, although the documents do not say so. Where yours does',
  'not, the list or call fails with an error; no data is lost silently.',
  '',
  '- **Errors**: a missing scope returns 400 with code 4711 or 104. A body may be empty, HTML or broken',
  '  JSON, and an answer with status 200 may contain an error. The header `x-svc-trackingid` names each',
  '  request.',
  '- **Tokens**: the token endpoint refuses with 400 and an OAuth error. A token is valid for an hour.',
  '- **Limits**: each rate label has its own quota. HEAVY and RESOURCE-INTENSIVE share one for the day.',
  '- **Lists** return active users, live sessions and today’s data unless the query says otherwise, and at',
  '  most a month.',
  '- **Notifications** are signed, come at least once, and come in any order.',
  '- **Records** can arrive late and change later. Integers can exceed 2^53. Text can contain NUL and lone',
  '  surrogates.',
]

if (import.meta.main) process.stdout.write(printReadings())
