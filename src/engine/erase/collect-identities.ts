import { identityOf, type Identity, isTelling, nameOf } from '../../core/erasure/identity.ts'
import type { Stream } from '../../core/stream.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { personFacts } from '../../warehouse/erasure-rows.ts'

/**
 * What the tables know of a person, from what was given: further IDs and addresses, and names. Only rows in
 * which columns name one person for good are believed. An address that another user has now is left out: it
 * was handed on, and what it stands for today is theirs.
 */
export async function collectIdentities(
  db: Transaction,
  { account, streams }: { account: string; streams: readonly Stream[] },
  given: readonly Identity[],
): Promise<Identity[]> {
  const found = new Map(given.map((identity) => [nameOfKind(identity), identity]))
  const asked = new Set(found.keys())
  // Once for what was given, once for what that led to.
  for (let turn = 0; turn < 2; turn++) {
    const before = found.size
    for (const stream of streams)
      for (const identity of await learn(db, { account, stream }, { found, asked }))
        if (!found.has(nameOfKind(identity))) found.set(nameOfKind(identity), identity)
    if (found.size === before) break
  }
  const others = await handedOn(db, { account, streams }, [...found.values()])
  return [...found.values()].filter(
    (identity) => asked.has(nameOfKind(identity)) || !others.has(nameOfKind(identity)),
  )
}

async function learn(
  db: Transaction,
  { account, stream }: { account: string; stream: Stream },
  { found, asked }: { found: ReadonlyMap<string, Identity>; asked: ReadonlySet<string> },
): Promise<Identity[]> {
  const { person } = stream
  if (person === undefined) return []
  const texts = [...found.values()].map(({ text }) => text.toLowerCase())
  const learnt: Identity[] = []
  for (const row of await personFacts(db, { account, stream }, texts)) {
    const own = person.known.flatMap((column) => idIn(row[column]))
    // The database compared without regard to case, which IDs have.
    const known = own.filter((identity) => found.has(nameOfKind(identity)))
    if (known.length === 0 || !isOfPerson(own, { known, asked })) continue
    const names = person.called.map((columns) =>
      columns.map((column) => row[column] ?? '').join(' '),
    )
    learnt.push(...own, ...names.map(nameOf))
  }
  return learnt.filter(isTelling)
}

/**
 * Whether a row that names somebody known is theirs: by an ID, or by what was asked for; by an address that
 * was only learnt just where no other ID stands beside it, since addresses are handed on.
 */
function isOfPerson(
  own: readonly Identity[],
  { known, asked }: { known: readonly Identity[]; asked: ReadonlySet<string> },
): boolean {
  return (
    known.some((identity) => identity.kind === 'id' || asked.has(nameOfKind(identity))) ||
    !own.some(({ kind }) => kind === 'id')
  )
}

/** The addresses among these that are a present user's whose ID is not among them. */
async function handedOn(
  db: Transaction,
  { account, streams }: { account: string; streams: readonly Stream[] },
  known: readonly Identity[],
): Promise<Set<string>> {
  const mine = new Set(known.map(nameOfKind))
  const others = new Set<string>()
  for (const stream of streams.filter(({ person, key }) => person?.known.includes(key[0] ?? ''))) {
    const column = stream.key[0] as string
    const texts = known.filter(({ kind }) => kind === 'address').map(({ text }) => text)
    for (const row of await personFacts(db, { account, stream, present: true }, texts)) {
      const [id] = idIn(row[column])
      if (id === undefined || mine.has(nameOfKind(id))) continue
      for (const identity of (stream.person?.known ?? []).flatMap((name) => idIn(row[name])))
        others.add(nameOfKind(identity))
    }
  }
  return others
}

function idIn(text: string | null | undefined): Identity[] {
  if (text === null || text === undefined || text === '') return []
  return [identityOf(text.replace(/^pending:/, ''))]
}

const nameOfKind = ({ kind, text }: Identity): string => `${kind}:${text}`
