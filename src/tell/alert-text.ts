import type { Cause } from '../core/declare/cause.ts'
import { type Message, oneLine } from './message.ts'

/** What a cause is told as. */
export type AlertEvent = 'new' | 'reminder' | 'recovered'

/** What one message says: new causes, reminders of causes that last, and causes that are no more. */
export interface AlertFacts {
  told: readonly Cause[]
  reminded: readonly Cause[]
  recovered: readonly Cause[]
}

/** All that is to be told at an instant, as one message, however many causes there are. */
export function alertMessage({ told, reminded, recovered }: AlertFacts, nowMs: number): Message {
  const parts = [
    part(
      told.filter(({ level }) => level === 'red'),
      'Needs you now',
      nowMs,
    ),
    part(
      told.filter(({ level }) => level === 'amber'),
      'Needs you soon',
      nowMs,
    ),
    part(reminded, 'Still so', nowMs),
    part(recovered, 'Mended', nowMs),
  ].filter((lines) => lines.length > 0)
  return {
    subject: subjectOf({ told, reminded, recovered }),
    text: `${parts.map((lines) => lines.join('\n')).join('\n\n')}\n\n${END}\n`,
    facts: {
      kind: 'alert',
      at: iso(nowMs),
      alerts: [
        ...told.map((cause) => factsOf('new', cause)),
        ...reminded.map((cause) => factsOf('reminder', cause)),
        ...recovered.map((cause) => factsOf('recovered', cause)),
      ],
    },
  }
}

/** What `callsheet alert --test` sends. */
export function testMessage(nowMs: number): Message {
  return {
    subject: 'Callsheet: a test of alerts',
    text: 'This is a test. Where you read it, alerts of Callsheet arrive.\n',
    facts: { kind: 'test', at: iso(nowMs), alerts: [] },
  }
}

/** Codes and accounts alone: a subject is shown where nobody has unlocked anything. */
function subjectOf({ told, reminded, recovered }: AlertFacts): string {
  const counted = [
    told.length > 0 ? `${told.length} new` : '',
    reminded.length > 0 ? `${reminded.length} still so` : '',
    recovered.length > 0 ? `${recovered.length} mended` : '',
  ].filter((text) => text !== '')
  const all = [...told, ...reminded, ...recovered]
  const names = [...new Set(all.map(shortName))]
  const shown = names.slice(0, NAMES_IN_SUBJECT).join(', ')
  const more = names.length > NAMES_IN_SUBJECT ? ', ...' : ''
  return oneLine(`Callsheet: ${counted.join(', ')} (${shown}${more})`)
}

function shortName({ account, code }: Cause): string {
  return account === undefined ? code : `${account} ${code}`
}

function part(causes: readonly Cause[], heading: string, nowMs: number): string[] {
  if (causes.length === 0) return []
  const shown = causes.slice(0, MOST_SHOWN)
  const rest = causes.length - shown.length
  return [
    `${heading}:`,
    ...shown.flatMap((cause) => linesOf(cause, heading === 'Mended', nowMs)),
    ...(rest > 0 ? [`- and ${rest} more`] : []),
  ]
}

function linesOf(cause: Cause, mended: boolean, nowMs: number): string[] {
  const { account, sentence, todo, sinceMs } = cause
  const whose = account === undefined ? '' : `${oneLine(account)}: `
  const said = oneLine(sentence, MOST_CHARACTERS)
  if (mended) return [`- ${whose}it is over: ${said}`]
  return [
    `- ${whose}${said} (for ${spanText(nowMs - sinceMs)})`,
    ...(todo === '' ? [] : [`  What to do: ${oneLine(todo, MOST_CHARACTERS)}`]),
  ]
}

function factsOf(event: AlertEvent, cause: Cause): Readonly<Record<string, unknown>> {
  const { code, account, subject, level, sentence, todo, sinceMs } = cause
  return {
    event,
    code,
    account: account ?? null,
    subject,
    level,
    sentence,
    todo: event === 'recovered' ? null : todo,
    since: iso(sinceMs),
  }
}

function spanText(ms: number): string {
  const minutes = Math.max(0, Math.round(ms / 60_000))
  if (minutes < 120) return `${minutes} min`
  const hours = Math.round(minutes / 60)
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}

const NAMES_IN_SUBJECT = 3
/** Of one kind: nobody reads more, and JSON holds all. */
const MOST_SHOWN = 50
const MOST_CHARACTERS = 500
const END = 'callsheet status shows how everything stands, callsheet alert what was told.'
