import { expect, it } from 'vitest'
import type { Stream } from '../../src/core/define/stream.ts'
import { type Identity, identityOf } from '../../src/core/persons/identity.ts'
import { collectFrom } from '../../src/erasure/collect-identities.ts'
import type { PersonFact } from '../../src/erasure/sql/person-facts.ts'
import { users } from '../../src/resources/users.ts'
import { whiteboardActivities } from '../../src/resources/whiteboard-archives.ts'

const ACTIVITIES = whiteboardActivities
type Columns = Record<string, string | null>
type Rows = [Stream, PersonFact][]
/** The ages of a row: current, deleted, or an earlier version. */
const [NOW, DELETED, EARLIER] = [0, 1, 2]
const user = (id: string, email: string, age = NOW, more: Columns = {}): Rows[0] => [
  users,
  { age, columns: { id, email, ...more } },
]
const act = (columns: Columns): Rows[0] => [ACTIVITIES, { age: NOW, columns }]

/** Collects identities from rows. Like the database, it finds rows by any identifying column in any case. */
async function collect(rows: Rows, given: string[], before: string[] = []): Promise<string[]> {
  const factsOf = async (stream: Stream, known: readonly Identity[]): Promise<PersonFact[]> => {
    const sought = new Set(known.map(({ text }) => text.toLowerCase()))
    const names = stream.person?.known ?? []
    const isOne = ({ columns }: PersonFact): boolean =>
      names.some((name) => sought.has((columns[name] ?? '').toLowerCase().replace('pending:', '')))
    return rows.flatMap(([of, fact]) => (of === stream && isOne(fact) ? [fact] : []))
  }
  const collecting = { streams: [users, ACTIVITIES], before: before.map(identityOf) }
  const found = await collectFrom(factsOf, collecting, given.map(identityOf))
  return found.map(({ text }) => text)
}

const [ANNA, BO] = ['anna@example.com', 'bo@example.com']
const cases: [string, Rows, string[], string[]][] = [
  ['a person whom no table knows is who was given', [], ['user-anna'], ['user-anna']],
  ['an ID leads to the address', [user('user-anna', ANNA)], ['user-anna'], ['user-anna', ANNA]],
  ['an address leads to the ID', [user('user-anna', ANNA)], [ANNA], [ANNA, 'user-anna']],
  [
    'an ID leads to earlier addresses',
    [user('user-anna', ANNA), user('user-anna', 'maiden@example.com', EARLIER)],
    ['user-anna'],
    ['user-anna', ANNA, 'maiden@example.com'],
  ],
  [
    'names are collected, each way that they are spelled',
    [
      user('user-anna', ANNA, NOW, {
        display_name: 'Anna J',
        first_name: 'Anna',
        last_name: 'Jones',
      }),
    ],
    ['user-anna'],
    ['user-anna', ANNA, 'anna j', 'anna jones'],
  ],
  [
    'an ID in other letters is another person, also where nobody has it',
    [user('USER-ANNA', ANNA), act({ user_id: 'User-Anna', email: BO, collaborator_id: null })],
    ['user-anna'],
    ['user-anna'],
  ],
  [
    'an ID too short to be told from other values leads nowhere',
    [act({ user_id: '42', email: ANNA, collaborator_id: 'c-anna-77' })],
    [ANNA],
    [ANNA, 'c-anna-77'],
  ],
  [
    'what is found leads on',
    [user('user-anna', ANNA), act({ user_id: null, email: ANNA, collaborator_id: 'c-anna-77' })],
    ['user-anna'],
    ['user-anna', ANNA, 'c-anna-77'],
  ],
  [
    'what is found leads back to tables that were looked at before',
    [
      user('user-anna', ANNA),
      act({ user_id: 'user-anna', email: null, collaborator_id: 'c-anna-77' }),
    ],
    ['c-anna-77'],
    ['c-anna-77', 'user-anna', ANNA],
  ],
  [
    'a given address means who has it now, and no former holder',
    [user('user-old', ANNA, EARLIER), user('user-old', 'old@example.com'), user('user-anna', ANNA)],
    [ANNA],
    [ANNA, 'user-anna'],
  ],
  [
    'a given address means who had it last, where nobody has it now',
    [user('user-old', ANNA, EARLIER), user('user-last', ANNA, DELETED)],
    [ANNA],
    [ANNA, 'user-last'],
  ],
  [
    'a former holder who is given too is meant, with what else is theirs',
    [user('user-old', ANNA, EARLIER), user('user-old', 'old@example.com'), user('user-anna', ANNA)],
    ['user-old', ANNA],
    ['user-old', ANNA, 'user-anna', 'old@example.com'],
  ],
  [
    'a found address that was handed on leads to no other user, and is left out',
    [user('user-anna', ANNA, EARLIER), user('user-anna', 'new@example.com'), user('user-bo', ANNA)],
    ['user-anna'],
    ['user-anna', 'new@example.com'],
  ],
  [
    'a shared address leads to no other user who stands beside it',
    [user('user-anna', ANNA), user('user-bo', BO), act({ user_id: 'user-bo', email: ANNA })],
    ['user-anna'],
    ['user-anna', ANNA],
  ],
  [
    'an ID of nobody else beside a found address is the person',
    [user('user-anna', ANNA), act({ user_id: 'guest-1234', email: ANNA, collaborator_id: null })],
    ['user-anna'],
    ['user-anna', ANNA, 'guest-1234'],
  ],
  [
    'an address that stands in for an ID is an address',
    [user(`pending:${ANNA}`, ANNA)],
    [ANNA],
    [ANNA],
  ],
]
it.each(cases)('%s', async (_what, rows, given, found) => {
  expect((await collect(rows, given)).toSorted()).toEqual(found.toSorted())
})

it('keeps what an earlier attempt found, except an address that now belongs to another', async () => {
  const rows = [user('user-bo', BO)]
  expect(await collect(rows, ['user-anna'], [ANNA])).toEqual(['user-anna', ANNA])
  expect(await collect(rows, ['user-anna'], [BO])).toEqual(['user-anna'])
})
