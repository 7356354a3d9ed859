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
  ['includes a given ID that no table has', [], ['user-anna'], ['user-anna']],
  ['finds the address by ID', [user('user-anna', ANNA)], ['user-anna'], ['user-anna', ANNA]],
  ['finds the ID by address', [user('user-anna', ANNA)], [ANNA], [ANNA, 'user-anna']],
  [
    'finds earlier addresses by ID',
    [user('user-anna', ANNA), user('user-anna', 'maiden@example.com', EARLIER)],
    ['user-anna'],
    ['user-anna', ANNA, 'maiden@example.com'],
  ],
  [
    'collects names in each spelling',
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
    'treats an ID in another letter case as another person’s, even if no user has it',
    [user('USER-ANNA', ANNA), act({ user_id: 'User-Anna', email: BO, collaborator_id: null })],
    ['user-anna'],
    ['user-anna'],
  ],
  [
    'ignores an ID that is too short to be distinct',
    [act({ user_id: '42', email: ANNA, collaborator_id: 'c-anna-77' })],
    [ANNA],
    [ANNA, 'c-anna-77'],
  ],
  [
    'searches again with found identities',
    [user('user-anna', ANNA), act({ user_id: null, email: ANNA, collaborator_id: 'c-anna-77' })],
    ['user-anna'],
    ['user-anna', ANNA, 'c-anna-77'],
  ],
  [
    'searches earlier tables again with found identities',
    [
      user('user-anna', ANNA),
      act({ user_id: 'user-anna', email: null, collaborator_id: 'c-anna-77' }),
    ],
    ['c-anna-77'],
    ['c-anna-77', 'user-anna', ANNA],
  ],
  [
    'assigns a given address to its present user, not to a former one',
    [user('user-old', ANNA, EARLIER), user('user-old', 'old@example.com'), user('user-anna', ANNA)],
    [ANNA],
    [ANNA, 'user-anna'],
  ],
  [
    'assigns a given address that is unused now to its last user',
    [user('user-old', ANNA, EARLIER), user('user-last', ANNA, DELETED)],
    [ANNA],
    [ANNA, 'user-last'],
  ],
  [
    'includes a former user of the address with all their data if given by ID',
    [user('user-old', ANNA, EARLIER), user('user-old', 'old@example.com'), user('user-anna', ANNA)],
    ['user-old', ANNA],
    ['user-old', ANNA, 'user-anna', 'old@example.com'],
  ],
  [
    'omits a found address that another user has now',
    [user('user-anna', ANNA, EARLIER), user('user-anna', 'new@example.com'), user('user-bo', ANNA)],
    ['user-anna'],
    ['user-anna', 'new@example.com'],
  ],
  [
    'does not find another user by a shared address',
    [user('user-anna', ANNA), user('user-bo', BO), act({ user_id: 'user-bo', email: ANNA })],
    ['user-anna'],
    ['user-anna', ANNA],
  ],
  [
    'finds an ID next to a found address if no user has the ID',
    [user('user-anna', ANNA), act({ user_id: 'guest-1234', email: ANNA, collaborator_id: null })],
    ['user-anna'],
    ['user-anna', ANNA, 'guest-1234'],
  ],
  ['reads the address out of a pending ID', [user(`pending:${ANNA}`, ANNA)], [ANNA], [ANNA]],
]
it.each(cases)('%s', async (_what, rows, given, found) => {
  expect((await collect(rows, given)).toSorted()).toEqual(found.toSorted())
})

it('identities that an earlier attempt found are used, but no address of another user', async () => {
  const rows = [user('user-bo', BO)]
  expect(await collect(rows, ['user-anna'], [ANNA])).toEqual(['user-anna', ANNA])
  expect(await collect(rows, ['user-anna'], [BO])).toEqual(['user-anna'])
})
