/** One question that the documents leave open, in our words. */
export interface Line {
  id: string
  section: string
  says: string
  /** Why reads cannot test it, or only in part. */
  because?: string
}

export type LineId = (typeof LINES)[number]['id']

const WRITES = 'only a write would show it'
const ASKS_NOTHING = 'the service sends it by itself, and no read brings it about'
const FORMS = 'it says what may come; a look at some records cannot disprove that'

/** All lines in order, probed or not. */
export const LINES = [
  line('error-body', 'errors', 'a refusal is JSON with a code, a number or a text, and a message'),
  line('odd-bodies', 'errors', 'a body may be empty, HTML or broken JSON', {
    because: 'such bodies come when the service is in trouble, which no read brings about',
  }),
  line('error-in-success', 'errors', 'an answer of success may carry an error inside'),
  line('tracking-id', 'errors', 'x-svc-trackingid names each request'),
  line('invalid-token', 'errors', 'a token that is no good is answered 401, or 400 with code 124'),
  line('missing-scope', 'errors', 'a missing scope is answered 400 with code 4711 or 104'),
  line('bad-page-token', 'errors', 'a page token that is no good has codes of its own'),
  line('gone', 'errors', 'what is gone is answered as each detail call declares'),
  line('token-errors', 'tokens', 'the token server refuses with 400 and a known error', {
    because: 'it takes a wrong secret, after which the service may lock the app',
  }),
  line('device-flow', 'tokens', 'a device that waits is told so by known errors', {
    because: 'a person has to sign in',
  }),
  line('one-token', 'tokens', 'a token lives an hour, and a new one ends the one before', {
    because: 'that it ends the one before is not tried: others may be using that',
  }),
  line('api-url', 'tokens', 'the token comes with the address of the API'),
  line('quotas', 'limits', 'each label has its quota, and the heavy labels share a day', {
    because: 'what lies behind the limits that answers tell is met only by force',
  }),
  line('rate-limit', 'limits', 'headers tell of a limit: its label, its kind and its size', {
    because: 'no limit is run into on purpose, so a refusal is seen only by chance',
  }),
  line('query-every-list', 'query', 'lists take page_size, clamp it, and go on by next_page_token'),
  line('query-users', 'query', 'users shows the active ones unless asked, 300 a page at most'),
  line('query-whiteboard-sessions', 'query', 'whiteboard sessions: today, 300 a page at most'),
  line('query-whiteboards', 'query', 'whiteboards: today by their change, a month, 50 a page'),
  line('query-sessions', 'query', 'sessions shows live ones unless asked; a month, 300 a page'),
  line('query-recordings', 'query', 'recordings: today, a month, 300 a page; the trash apart'),
  line('query-session-recordings', 'query', 'a session’s recordings take include_fields and ttl', {
    because: 'asking would make a token for downloads; the rest of the line are deletions',
  }),
  line('query-numbers', 'query', 'numbers: 200 a page at most, and filters', {
    because: 'a sync uses no filter; how numbers are deleted only a write would show',
  }),
  line('query-peering', 'query', 'peering numbers: page_size, phone_number, carrier_code', {
    because: `a sync uses no filter; of the removal ${WRITES}`,
  }),
  line('query-consents', 'query', 'the consent list has its path and 300 a page at most'),
  line('query-sip', 'query', 'SIP lists need a product; the total of trunks is the page’s own'),
  line('query-arrays', 'query', 'a list of values repeats the parameter’s name', {
    because: `no read takes a list of values; ${WRITES}`,
  }),
  line('jwt', 'video sessions', 'a JWT signed with the key and secret is taken for an hour'),
  line('notification-signature', 'notifications', 'a notification is signed', {
    because: ASKS_NOTHING,
  }),
  line('notification-challenge', 'notifications', 'an address is validated by a challenge', {
    because: ASKS_NOTHING,
  }),
  line('notification-delivery', 'notifications', 'delivery is at least once and out of order', {
    because: ASKS_NOTHING,
  }),
  line('notification-names', 'notifications', 'one event has a guessed name, and times vary', {
    because: ASKS_NOTHING,
  }),
  line('id-encoding', 'quirks', 'how IDs in paths are encoded, where once and twice differ'),
  line('narrowing', 'quirks', 'the service narrows what is asked without a word'),
  line('last-page', 'quirks', 'the last page has an empty token, null, or none'),
  line('empty-fields', 'quirks', 'empty fields are left out, empty or null', { because: FORMS }),
  line('time-forms', 'quirks', 'times and durations come in several known forms'),
  line('big-integers', 'quirks', 'integers can pass 2^53', { because: FORMS }),
  line('odd-text', 'quirks', 'text can hold NUL and lone surrogates', { because: FORMS }),
  line('late-records', 'quirks', 'records arrive and are completed late', {
    because: 'it shows over days, and a sync looks back that far',
  }),
  line('session-instances', 'quirks', 'a session ID is one instance; a key may have several'),
] as const satisfies readonly Line[]

function line<const Id extends string>(
  id: Id,
  section: string,
  ...[says, more = {}]: [says: string, more?: Pick<Line, 'because'>]
): Line & { id: Id } {
  return { id, section, says, ...more }
}
