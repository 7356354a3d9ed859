import { type Cause, resolvedText } from '../../core/define/cause.ts'
import { iso } from '../../core/time/time.ts'
import { duration } from '../../core/values/quantities.ts'
import { capitalize } from '../../core/values/text.ts'
import { type Message, oneLine } from './message.ts'

/** How a message presents a cause. */
export type AlertEvent = 'new' | 'reminder' | 'recovered'

/** The content of one message: new causes, reminders of open causes, and resolved causes. */
export interface AlertFacts {
  told: readonly Cause[]
  reminded: readonly Cause[]
  recovered: readonly Cause[]
}

/** Makes one message of the causes. Its text shows up to `MOST_SHOWN` causes per part, its JSON all. */
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
    part(reminded, 'Still open', nowMs),
    part(recovered, RESOLVED, nowMs),
  ].filter((lines) => lines.length > 0)
  return {
    subject: subjectOf({ told, reminded, recovered }),
    text: `${parts.map((lines) => lines.join('\n')).join('\n\n')}\n\n${END}\n`,
    facts: {
      kind: 'alert',
      at: iso(nowMs),
      alerts: [
        ...told.map((cause) => factsOf('new', cause, nowMs)),
        ...reminded.map((cause) => factsOf('reminder', cause, nowMs)),
        ...recovered.map((cause) => factsOf('recovered', cause, nowMs)),
      ],
    },
  }
}

/** The message of `callsheet alert --test`. */
export function testMessage(nowMs: number): Message {
  return {
    subject: 'Callsheet: a test of alerts',
    text: 'This is a test: Callsheet can deliver alerts here.\n',
    facts: { kind: 'test', at: iso(nowMs), alerts: [] },
  }
}

/** Names causes only by account and code, because lock screens show subjects. */
function subjectOf({ told, reminded, recovered }: AlertFacts): string {
  const counted = [
    told.length > 0 ? `${told.length} new` : '',
    reminded.length > 0 ? `${reminded.length} still open` : '',
    recovered.length > 0 ? `${recovered.length} resolved` : '',
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
    ...shown.flatMap((cause) => linesOf(cause, heading === RESOLVED, nowMs)),
    ...(rest > 0 ? [`- and ${rest} more`] : []),
  ]
}

function linesOf(cause: Cause, resolved: boolean, nowMs: number): string[] {
  const { account, sentence, todo, sinceMs } = cause
  const whose = account === undefined ? '' : `${oneLine(account)}: `
  if (resolved) return [`- ${whose}${oneLine(resolvedText(cause, nowMs), MOST_CHARACTERS)}.`]
  const said = within(whose, [sentence, todo].filter((text) => text !== '').join(' '))
  return [`- ${whose}${said} (for ${duration(nowMs - sinceMs)})`]
}

/** Lowercases the first letter of a text after an account's name, unless the first word is an acronym. */
function within(whose: string, text: string): string {
  const said = oneLine(text, MOST_CHARACTERS)
  if (whose === '' || !/^[A-Z][a-z]* /.test(said)) return said
  return `${said.slice(0, 1).toLowerCase()}${said.slice(1)}`
}

function factsOf(
  event: AlertEvent,
  cause: Cause,
  nowMs: number,
): Readonly<Record<string, unknown>> {
  const { code, account, subject, level, todo, sinceMs } = cause
  const resolved = event === 'recovered'
  return {
    event,
    code,
    account: account ?? null,
    subject,
    level,
    sentence: resolved ? `${capitalize(resolvedText(cause, nowMs))}.` : cause.sentence,
    todo: resolved ? null : todo,
    since: iso(sinceMs),
  }
}

const NAMES_IN_SUBJECT = 3
const MOST_SHOWN = 50
const MOST_CHARACTERS = 1_000
const RESOLVED = 'Resolved'
const END = '`callsheet status` shows all accounts, `callsheet alert` the open alerts.'
