import { PageTokenError } from '../../core/errors/errors.ts'
import {
  phoneNumbers,
  readList,
  recordings,
  sessionReports,
  smsConsents,
  users,
  whiteboardSessions,
  whiteboards,
} from './lists.ts'
import {
  fieldsOf,
  nextTokenOf,
  type Probe,
  type Probed,
  type Reading,
  recordsOf,
  refusalText,
} from './probe.ts'

/** Each family of operations has its own codes, so one list of each is read. */
const bad: readonly Probe[] = [
  users,
  whiteboardSessions,
  whiteboards,
  sessionReports,
  recordings,
  phoneNumbers,
  smsConsents,
].map((list) => {
  const { tokenErrorCodes: codes } = list.operation.paging
  return {
    id: `bad-page-token.${list.name}`,
    lines: ['bad-page-token'] as const,
    assumption: `a page token that is no good is answered 400 with code ${codes.join(' or ')}`,
    operations: [list.operation],
    mostReads: 1,
    run: async (reader) => judge(await readList(reader, list, { next_page_token: MADE_UP }), codes),
  }
})

const AGAIN: Probe = {
  id: 'page-token-again.users',
  lines: ['query-every-list'],
  assumption: 'a page whose answer was lost can be asked for again by the same token',
  operations: [users.operation],
  mostReads: 3,
  async run(reader) {
    const first = await readList(reader, users, { page_size: 1 })
    const next_page_token = nextTokenOf(first)
    if (next_page_token === undefined)
      return { verdict: 'unclear', found: 'there is only one page' }
    const once = await readList(reader, users, { page_size: 1, next_page_token })
    const again = await readList(reader, users, { page_size: 1, next_page_token })
    if (again.refusal !== undefined)
      return {
        verdict: 'differs',
        found: `it works once: ${refusalText(again)}`,
        means: 'a list begins again at its first page whenever an answer is lost on the way',
      }
    if (recordsOf(once)[0]?.id === recordsOf(again)[0]?.id)
      return { verdict: 'holds', found: 'the same page came twice' }
    return {
      verdict: 'differs',
      found: 'the second time another page came',
      means: 'a page that is asked for again may skip records; the next run finds them',
    }
  },
}

const LAST_PAGE: Probe = {
  id: 'last-page',
  lines: ['last-page', 'query-every-list'],
  assumption: 'the last page has an empty token, null, or none',
  operations: [],
  mostReads: 0,
  run({ seen }) {
    const paged = seen.readings.filter(
      (reading) => reading.refusal === undefined && reading.operation.paging?.style === 'token',
    )
    const forms = paged
      .map((reading) => lastForm(fieldsOf(reading)))
      .filter((form) => form !== 'more')
    const kinds = [...new Set(forms)].toSorted()
    if (kinds.length === 0) return { verdict: 'unclear', found: 'no list came to its end' }
    const facts = { form: kinds.join(', '), pages: forms.length }
    const found = `${facts.form} on ${forms.length} pages`
    return kinds.every((kind) => KNOWN.has(kind))
      ? { verdict: 'holds', found, facts }
      : {
          verdict: 'differs',
          found,
          means: 'a sync takes such a page for broken: its lists cannot be read to their end',
          facts,
        }
  },
}

export const pageTokens: readonly Probe[] = [...bad, AGAIN, LAST_PAGE]

function judge(reading: Reading, codes: readonly string[]): Probed {
  const { refusal, status, code = 'none' } = reading
  if (refusal === undefined)
    return {
      verdict: 'differs',
      found: 'a page came for a token that was made up',
      means: 'a list that is read too slowly may begin again, which only its records show',
      facts: { status },
    }
  const facts = { status, code, recognised: refusal instanceof PageTokenError }
  const found = `HTTP ${status} with code ${code}`
  if (status === 400 && codes.includes(code)) return { verdict: 'holds', found, facts }
  const means = facts.recognised
    ? 'a sync takes it for what it is, and reads the list again from its first page'
    : 'a sync fails the slice at it, and reads it again in its next run'
  return { verdict: 'differs', found, means, facts }
}

function lastForm({ next_page_token: token }: Readonly<Record<string, unknown>>): string {
  if (token === undefined) return 'absent'
  if (token === null) return 'null'
  if (typeof token !== 'string') return typeof token
  return token === '' ? 'empty' : 'more'
}

const KNOWN = new Set(['absent', 'null', 'empty'])
/** Has the form of a token, but was never issued. */
const MADE_UP = 'bm8tc3VjaC1wYWdlLWhlcmU='
