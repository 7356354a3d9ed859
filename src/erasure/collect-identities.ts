import type { Stream } from '../core/define/stream.ts'
import { type Identity, identifies, identityOf, LONGEST, nameOf } from '../core/persons/identity.ts'
import type { Transaction } from '../warehouse/connect.ts'
import { type PersonFact, personFacts } from './sql/person-facts.ts'

export interface Collecting {
  streams: readonly Stream[]
  /** The identities from an earlier attempt. Addresses among them may belong to other people now. */
  before?: readonly Identity[]
}

/**
 * Returns the given identities of a person, and the IDs, addresses and names that the tables add. Trusts only
 * columns that always identify one person. An address can pass from one user to another. Therefore a given
 * address means its present or last user. A found address leads to no other user, and is left out if another
 * user has it now.
 */
export async function collectIdentities(
  db: Transaction,
  { account, ...collecting }: Collecting & { account: string },
  given: readonly Identity[],
): Promise<Identity[]> {
  const factsOf: FactsOf = (stream, known) => personFacts(db, { account, stream }, known)
  return await collectFrom(factsOf, collecting, given)
}

/** Returns the rows of a stream that may name one of `known`. */
type FactsOf = (stream: Stream, known: readonly Identity[]) => Promise<readonly PersonFact[]>

export async function collectFrom(
  factsOf: FactsOf,
  { streams, before = [] }: Collecting,
  given: readonly Identity[],
): Promise<Identity[]> {
  const finding: Finding = {
    factsOf,
    streams,
    found: new Map([...given, ...before].map((identity) => [nameOfKind(identity), identity])),
    asked: new Set(given.map(nameOfKind)),
    former: await formerHolders(factsOf, streams, given),
  }
  // Each found identity may lead to others in the next turn. More than two turns are rare.
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const known = finding.found.size
    for (const stream of streams)
      for (const identity of await learn(finding, stream))
        if (!finding.found.has(nameOfKind(identity)))
          finding.found.set(nameOfKind(identity), identity)
    if (finding.found.size === known) break
  }
  const { asked, found } = finding
  const others = await handedOn(finding)
  return [...found.values()].filter(
    (identity) => asked.has(nameOfKind(identity)) || !others.has(nameOfKind(identity)),
  )
}

interface Finding {
  factsOf: FactsOf
  streams: readonly Stream[]
  found: Map<string, Identity>
  asked: ReadonlySet<string>
  /** The IDs of users who had a given address before its present or last user. */
  former: ReadonlySet<string>
}

async function learn(finding: Finding, stream: Stream): Promise<Identity[]> {
  const { factsOf, found, asked, former } = finding
  const { person } = stream
  if (person === undefined) return []
  const sure: PersonFact[] = []
  const doubtful: PersonFact[] = []
  for (const row of await factsOf(stream, [...found.values()])) {
    const own = idsOf(stream, row)
    // Compares again, because the database compares less strictly.
    const known = own.filter((identity) => found.has(nameOfKind(identity)))
    const others = own.filter(({ kind, text }) => kind === 'id' && !found.has(`id:${text}`))
    if (known.length === 0 || others.some(({ text }) => former.has(text))) continue
    const surely = known.some(({ kind, text }) => kind === 'id' || asked.has(`${kind}:${text}`))
    ;(surely || others.length === 0 ? sure : doubtful).push(row)
  }
  // These rows match only by a found address. An ID beside it is the person's, unless it is another user's
  // ID.
  const users = await usersAmong(
    finding,
    doubtful.flatMap((row) => idsOf(stream, row)),
  )
  const theirs = doubtful.filter((row) =>
    idsOf(stream, row).every(
      (identity) => found.has(nameOfKind(identity)) || !users.has(identity.text),
    ),
  )
  return [...sure, ...theirs].flatMap((row) => [
    ...idsOf(stream, row).filter(identifies),
    ...namesOf(stream, row),
  ])
}

/** Returns the names in a row. Includes short names, which count only beside an ID or an address. */
function namesOf({ person }: Stream, row: PersonFact): Identity[] {
  const names = (person?.called ?? []).map((columns) =>
    columns.map((column) => row.columns[column] ?? '').join(' '),
  )
  return names.map(nameOf).filter(({ text }) => text !== '' && text.length <= LONGEST)
}

function usersStreams(streams: readonly Stream[]): Stream[] {
  return streams.filter(({ person, key }) => person?.known.includes(key[0] ?? ''))
}

function holderOf(stream: Stream, row: PersonFact): string | undefined {
  const [id] = idIn(row.columns[stream.key[0] ?? ''])
  return id?.kind === 'id' ? id.text : undefined
}

/** Returns the IDs that belong or belonged to users. */
async function usersAmong(
  { factsOf, streams }: Finding,
  identities: readonly Identity[],
): Promise<Set<string>> {
  const users = new Set<string>()
  const ids = identities.filter(({ kind }) => kind === 'id')
  if (ids.length === 0) return users
  for (const stream of usersStreams(streams))
    for (const row of await factsOf(stream, ids)) {
      const id = holderOf(stream, row)
      if (id !== undefined) users.add(id)
    }
  return users
}

/** Returns the IDs of the users who had a given address before its present or last holder. */
async function formerHolders(
  factsOf: FactsOf,
  streams: readonly Stream[],
  given: readonly Identity[],
): Promise<Set<string>> {
  const former = new Set<string>()
  const addresses = given.filter(({ kind }) => kind === 'address')
  for (const stream of usersStreams(streams)) {
    const rows = await factsOf(stream, addresses)
    for (const address of addresses) {
      const holders = rows.filter((row) =>
        idsOf(stream, row).some((own) => nameOfKind(own) === nameOfKind(address)),
      )
      const last = Math.min(...holders.map(({ age }) => age))
      const latest = holders.filter(({ age }) => age === last).map((row) => holderOf(stream, row))
      for (const row of holders) {
        const id = holderOf(stream, row)
        if (id !== undefined && !latest.includes(id)) former.add(id)
      }
    }
  }
  return former
}

/** Returns the identities of present users who have a found address and whose ID was not found. */
async function handedOn({ factsOf, streams, found }: Finding): Promise<Set<string>> {
  const others = new Set<string>()
  const addresses = [...found.values()].filter(({ kind }) => kind === 'address')
  for (const stream of usersStreams(streams)) {
    for (const row of await factsOf(stream, addresses)) {
      const id = holderOf(stream, row)
      if (row.age > 0 || id === undefined || found.has(`id:${id}`)) continue
      for (const identity of idsOf(stream, row)) others.add(nameOfKind(identity))
    }
  }
  return others
}

function idsOf({ person }: Stream, row: PersonFact): Identity[] {
  return (person?.known ?? []).flatMap((column) => idIn(row.columns[column]))
}

function idIn(text: string | null | undefined): Identity[] {
  const spelled = (text ?? '').replace(/^pending:/, '')
  return spelled.trim() === '' ? [] : [identityOf(spelled)]
}

const nameOfKind = ({ kind, text }: Identity): string => `${kind}:${text}`
const MOST_TURNS = 5
